package fairgate.app.config;

import fairgate.gate.limit.LimitDefaults;
import fairgate.kernel.AddressBlock;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// What values a setting takes.
sealed interface ConfigKind {
  /// What is wrong with the value, as the end of "expected ..."; empty when nothing is.
  Optional<String> problem(String value);

  /// The values for the reference page.
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

  /// A text in a form of its own.
  ///
  /// @param reader throws IllegalArgumentException that says what is wrong
  record Spelled(String what, Function<String, ?> reader) implements ConfigKind {
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

  /// A text that is never shown.
  record Hidden() implements ConfigKind {
    @Override
    public Optional<String> problem(String value) {
      return Optional.empty();
    }

    @Override
    public String describe() {
      return "secret";
    }
  }

  /// A comma-separated list of addresses and blocks of them.
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

  /// A whole number within these bounds.
  record Whole(int min, int max) implements ConfigKind {
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

  /// What a limit lets pass: `5/s`, `100/60s burst 20`, `off`.
  ///
  /// @param name the limit's
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

  /// On or off; the words of YAML and of environments are understood.
  record Switch() implements ConfigKind {
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
        // Places such as {order_id} are filled in later.
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
