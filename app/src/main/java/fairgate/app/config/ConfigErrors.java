package fairgate.app.config;

import java.util.List;

/// The configuration is invalid. Contains all problems.
public final class ConfigErrors extends RuntimeException {
  private final transient List<String> problems;

  public ConfigErrors(List<String> problems) {
    super("The configuration is wrong:\n  - " + String.join("\n  - ", problems));
    this.problems = List.copyOf(problems);
  }

  /// One line per problem: the setting, its value, and the expected values.
  public List<String> problems() {
    return problems;
  }
}
