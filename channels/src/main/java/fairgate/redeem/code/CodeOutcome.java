package fairgate.redeem.code;

/// The result of a step in a code's lifecycle.
public sealed interface CodeOutcome {
  /// It was made.
  ///
  /// @param repeated whether it had been made before
  record Done(Code code, boolean repeated) implements CodeOutcome {}

  /// The code was replaced.
  ///
  /// @param clear the text of the new code, for the operator to pass on
  record Replaced(Code code, String clear) implements CodeOutcome {}

  /// There is no such code.
  ///
  /// @param typo whether the check character shows a typing error
  record Unknown(boolean typo) implements CodeOutcome {}

  /// Its state does not allow the step.
  record Conflict(CodeState state) implements CodeOutcome {}
}
