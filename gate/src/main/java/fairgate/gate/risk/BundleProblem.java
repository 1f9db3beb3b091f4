package fairgate.gate.risk;

import org.jspecify.annotations.Nullable;

/// One error of a bundle, at a place in its JSON text.
///
/// @param line from 1
/// @param column from 1, in characters
/// @param rule the code of the rule; null outside of rules
/// @param message for the operator, in English
public record BundleProblem(int line, int column, @Nullable String rule, String message) {
  @Override
  public String toString() {
    return line + ":" + column + ": " + (rule == null ? "" : rule + ": ") + message;
  }
}
