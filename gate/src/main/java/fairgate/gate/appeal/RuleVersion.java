package fairgate.gate.appeal;

import fairgate.gate.ban.Ban;
import fairgate.kernel.ErrorCode;
import java.util.Locale;

/// A rule behind decisions and its version, as appeals name them: a limit with its numbers
/// (`limit.join`, `3/60`), the author of a ban, a rule of risk with its bundle, or an error code.
record RuleVersion(String rule, String version) {
  /// The beginnings of the names of limits and of rules of risk.
  static final String OF_LIMITS = "limit.";

  static final String OF_RISK = "risk.";

  /// The rule of decisions whose record was lost.
  static final String LOST = OF_RISK + "lost";

  /// The rule of decisions on risk without a strongest rule.
  static final String SCORE = OF_RISK + "score";

  /// The version of rules that have none.
  static final String UNVERSIONED = "1";

  private static final String OF_BANS = "ban.";
  private static final String OF_OPERATORS = "operator";

  /// The rule behind a ban that is no longer known.
  static final RuleVersion UNKNOWN_BAN = new RuleVersion(OF_BANS + "unknown", UNVERSIONED);

  /// The rule behind a ban: `ban.` and its author. An author may name its version: `risk@4`.
  static RuleVersion of(Ban ban) {
    String author = ban.actor();
    int at = author.indexOf('@');
    if (at < 0) {
      return new RuleVersion(OF_BANS + author, UNVERSIONED);
    }
    String name = author.substring(0, at);
    // The address of the operator is no version.
    return new RuleVersion(
        OF_BANS + name, name.equals(OF_OPERATORS) ? UNVERSIONED : author.substring(at + 1));
  }

  /// The name of the rule behind refusals that have no other: their error code.
  static String ruleOf(ErrorCode code) {
    return code.name().toLowerCase(Locale.ROOT);
  }
}
