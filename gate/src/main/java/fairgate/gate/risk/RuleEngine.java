package fairgate.gate.risk;

import java.util.List;

/// Compiles the conditions of rules. Thread-safe.
///
/// An expression has at most [#LONGEST] characters and [#DEEPEST] levels. Its variables are the
/// features of one schema. It has no loops, and its result is a boolean.
public interface RuleEngine {
  /// The longest expression, characters.
  int LONGEST = 2_048;

  /// The deepest nesting of an expression.
  int DEEPEST = 32;

  /// Compiles and type-checks an expression. Never throws.
  Compilation compile(String expression, FeatureSchema schema);

  /// The result of a compilation.
  sealed interface Compilation {
    /// It can be evaluated.
    ///
    /// @param failures parts without variables that have no value, such as a division by zero. A
    ///   new document with one is refused; a published one stays in use
    record Compiled(Condition condition, List<Problem> failures) implements Compilation {
      public Compiled {
        failures = List.copyOf(failures);
      }
    }

    /// It has errors.
    ///
    /// @param problems at least one
    record Refused(List<Problem> problems) implements Compilation {
      public Refused {
        problems = List.copyOf(problems);
      }
    }
  }

  /// An error in an expression.
  ///
  /// @param offset characters before it
  record Problem(int offset, String message) {}

  /// A compiled expression. Thread-safe; its result depends only on the features.
  @FunctionalInterface
  interface Condition {
    /// Whether the features fulfil it. Throws EvaluationFailed when it has no value for them, such
    /// as after a division by zero.
    boolean matches(Features features) throws EvaluationFailed;
  }

  /// A condition has no value for these features.
  final class EvaluationFailed extends Exception {
    private static final long serialVersionUID = 1L;

    public EvaluationFailed(String message) {
      // Without a stack trace: this happens on the hot path.
      super(message, null, false, false);
    }
  }
}
