package fairgate.gate.policy;

import fairgate.gate.risk.OutcomeKind;
import java.util.EnumSet;
import java.util.Set;

/// What the outcomes of a decision say about the client. A granted or refused appeal was decided by
/// a person, so it counts before payment.
public enum OutcomeLabel {
  /// An appeal was won, or an order was paid.
  HUMAN,
  /// An appeal was lost, or a reservation was not paid. The second is a weak sign: some people do
  /// not pay, either.
  BOT,
  /// Neither; also for everybody who was refused and did not appeal.
  UNKNOWN;

  /// The name in reports.
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  static OutcomeLabel of(Set<OutcomeKind> kinds) {
    if (kinds.contains(OutcomeKind.APPEAL_WON)) {
      return HUMAN;
    }
    if (kinds.contains(OutcomeKind.APPEAL_LOST)) {
      return BOT;
    }
    if (kinds.contains(OutcomeKind.PAID)) {
      return HUMAN;
    }
    return kinds.contains(OutcomeKind.UNPAID) ? BOT : UNKNOWN;
  }

  /// Reads kinds that are separated by commas; unknown ones are skipped.
  static OutcomeLabel of(String kinds) {
    Set<OutcomeKind> all = EnumSet.noneOf(OutcomeKind.class);
    for (String word : kinds.split(",", -1)) {
      OutcomeKind.named(word).ifPresent(all::add);
    }
    return of(all);
  }
}
