package fairgate.app.config;

import fairgate.gate.limit.LimitDefaults;
import fairgate.kernel.AddressBlock;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The kind of a setting's values.
sealed interface ConfigKind {
  /// The problem of the value, as the end of "expected ..."; empty when it is valid.
  Optional<String> problem(String value);

  /// The description of the values for the reference page.
  String describe();

  private static Optional<String> unless(boolean right, String expected) {
    return right ? Optional.empty() : Optional.of(expected);
  }

  /// Any text, or a comma-separated list of them.
  record Text(String what) implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      return Optional.empty();
    }

    @Override
    public String describe() {
      return what;
    }
  }

  /// A text in a special format.
  ///
  /// @param reader throws IllegalArgumentException with the problem
  record Parsed(String what, Function<String, ?> reader) implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      try {
        Object _ = reader.apply(value);
        return Optional.empty();
      } catch (IllegalArgumentException e) {
        return Optional.of("a " + what + ": " + e.getMessage());
      }
    }

    @Override
    public String describe() {
      return what;
    }
  }

  /// A secret text.
  record SecretText() implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      return Optional.empty();
    }

    @Override
    public String describe() {
      return "secret";
    }
  }

  /// A comma-separated list of addresses and address blocks.
  record Blocks() implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      return unless(
          ConfigValues.items(value).allMatch(item -> AddressBlock.parse(item) != null),
          "addresses and blocks such as 10.0.0.0/8, separated by commas");
    }

    @Override
    public String describe() {
      return "list of addresses";
    }
  }

  /// A whole number within bounds.
  record IntRange(int min, int max) implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      boolean right = value.matches("\\d{1,9}") && Integer.parseInt(value) >= min;
      return unless(right && Integer.parseInt(value) <= max, "a " + describe());
    }

    @Override
    public String describe() {
      return "number from " + min + " to " + max;
    }
  }

  /// One of these words.
  record Choice(List<String> words) implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      return unless(words.contains(value), "one of " + String.join(", ", words));
    }

    @Override
    public String describe() {
      return String.join(" \\| ", words);
    }
  }

  /// A rate limit: `5/s`, `100/60s burst 20`, `off`.
  ///
  /// @param name name of the limit
  record Limit(String name) implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      return LimitDefaults.problem(name, value).map(why -> describe() + ": " + why);
    }

    @Override
    public String describe() {
      return "limit";
    }
  }

  /// A boolean, with the words of YAML and of environment variables.
  record Flag() implements ConfigKind {
    private static final Set<String> ON = Set.of("on", "true", "yes", "1");
    private static final Set<String> OFF = Set.of("off", "false", "no", "0");

    static boolean isOn(String value) {
      return ON.contains(value);
    }

    @Override
    public Optional<String> problem(String value) {
      return unless(ON.contains(value) || OFF.contains(value), "on or off");
    }

    @Override
    public String describe() {
      return "on \\| off";
    }
  }

  /// A URL with one of these schemes. Those with a password in them are hidden.
  record Url(List<String> schemes, boolean hidden) implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      String expected = "a URL that begins with " + String.join(":// or ", schemes) + "://";
      try {
        // Placeholders such as {order_id} are replaced later.
        URI uri = new URI(value.replaceAll("\\{[a-z_]+}", "x"));
        boolean complete = uri.getHost() != null || "unix".equals(uri.getScheme());
        return unless(
            uri.getScheme() != null && schemes.contains(uri.getScheme()) && complete, expected);
      } catch (URISyntaxException _) {
        return Optional.of(expected);
      }
    }

    @Override
    public String describe() {
      return "URL (" + String.join(", ", schemes) + ")";
    }
  }
}
