package fairgate.app.config;

import java.util.List;

/// The configuration is wrong; tells everything that is, at once.
public final class ConfigErrors extends RuntimeException {
  private final transient List<String> problems;

  /// One line for each problem.
  public ConfigErrors(List<String> problems) {
    super("The configuration is wrong:\n  - " + String.join("\n  - ", problems));
    this.problems = List.copyOf(problems);
  }

  /// One line each: where, what, and what is expected.
  public List<String> problems() {
    return problems;
  }
}
