package fairgate.gate.risk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/// The bundle that comes with the server; in force until an operator activates another one.
public final class BuiltInBundle implements BundleSource {
  private static final String RESOURCE = "built_in_bundle.json";

  private final CompiledBundle compiled;

  /// Compiles the resource. Throws IllegalStateException when the build is broken.
  public BuiltInBundle(RuleEngine engine) {
    compiled =
        switch (CompiledBundle.compile(json(), engine)) {
          case CompiledBundle.Outcome.Accepted(CompiledBundle bundle) -> bundle;
          case CompiledBundle.Outcome.Refused refused ->
              throw new IllegalStateException(RESOURCE + ": " + refused.problems());
        };
  }

  /// The document.
  public static String json() {
    try (InputStream in = BuiltInBundle.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + RESOURCE);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + RESOURCE, e);
    }
  }

  @Override
  public CompiledBundle bundleFor(String subject) {
    return compiled;
  }
}
