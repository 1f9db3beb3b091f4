package fairgate.app.config;

/// A line of the preflight list of `serve`, `doctor` and `config check --serve`. The text begins
/// with the setting and says what to do.
public sealed interface Finding {
  String text();

  /// Prevents a start of `serve`.
  record Refused(String text) implements Finding {}

  /// Logged at the start of `serve`.
  record Warning(String text) implements Finding {}

  /// The condition could not be checked, so its safety is unknown.
  record Unknown(String text) implements Finding {}

  /// The engine did not answer, so nothing of it was checked. Prevents a start of `serve` unless
  /// `engines.unchecked` accepts it.
  record Unanswered(String text) implements Finding {}
}
