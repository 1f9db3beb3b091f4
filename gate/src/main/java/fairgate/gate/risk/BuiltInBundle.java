package fairgate.gate.risk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The bundle that is in force until an operator activates another one: the one that comes with the
/// server, or one of the settings.
public final class BuiltInBundle implements RiskBundle.Source {
  private static final String RESOURCE = "built_in_bundle.json";

  private final CompiledBundle compiled;

  public BuiltInBundle() {
    this(json());
  }

  /// Another document. Throws IllegalArgumentException with its problems, one a line.
  public BuiltInBundle(String json) {
    compiled =
        switch (CompiledBundle.compile(json)) {
          case CompiledBundle.Outcome.Accepted(CompiledBundle bundle) -> bundle;
          case CompiledBundle.Outcome.Refused refused ->
              throw new IllegalArgumentException(
                  refused.problems().stream()
                      .map(RiskBundle.Problem::toString)
                      .collect(Collectors.joining("\n")));
        };
  }

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
  public CompiledBundle bundleFor(Supplier<String> subject) {
    return compiled;
  }
}
