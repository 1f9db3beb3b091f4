package fairgate.draw.verify;

import java.io.Serial;

/// Ends a verification at the first check that fails. It never leaves the package:
/// [DrawVerifier#verify] turns it into a [Verdict].
final class FailedCheck extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final VerdictCode code;
  private final String detail;

  FailedCheck(VerdictCode code, String detail) {
    super(code.word() + ": " + detail, null, false, false);
    this.code = code;
    this.detail = detail;
  }

  VerdictCode code() {
    return code;
  }

  String detail() {
    return detail;
  }

  /// Throws unless the condition holds.
  static void unless(boolean condition, VerdictCode code, Object detail) {
    if (!condition) {
      throw new FailedCheck(code, detail.toString());
    }
  }
}
