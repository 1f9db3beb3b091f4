package fairgate.redeem.code;

/// What a step in a code's life came to.
public sealed interface CodeOutcome {
  /// It was made.
  ///
  /// @param repeated whether it had been made before
  record Done(Code code, boolean repeated) implements CodeOutcome {}

  /// Another code stands for it now.
  ///
  /// @param clear the new code itself, for the operator to hand on
  record Replaced(Code code, String clear) implements CodeOutcome {}

  /// There is no such code.
  ///
  /// @param typo whether its check character says that it was mistyped
  record Unknown(boolean typo) implements CodeOutcome {}

  /// Its state does not allow the step.
  record Conflict(CodeState state) implements CodeOutcome {}
}
