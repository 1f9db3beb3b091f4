package fairgate.gate.policy;

import fairgate.kernel.Word;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// What the outcomes of a decision say about the client. A granted or refused appeal was decided by
/// a person, so it counts before payment.
public enum OutcomeLabel implements Word {
  /// An appeal was won, or an order was paid.
  HUMAN,
  /// An appeal was lost, or a reservation was not paid. The second is a weak sign: some people do
  /// not pay, either.
  BOT,
  /// Neither; also for everybody who was refused and did not appeal.
  UNKNOWN;

  static OutcomeLabel of(Set<Kind> kinds) {
    if (kinds.contains(Kind.APPEAL_WON)) {
      return HUMAN;
    }
    if (kinds.contains(Kind.APPEAL_LOST)) {
      return BOT;
    }
    if (kinds.contains(Kind.PAID)) {
      return HUMAN;
    }
    return kinds.contains(Kind.UNPAID) ? BOT : UNKNOWN;
  }

  /// Reads kinds that are separated by commas; unknown ones are skipped.
  static OutcomeLabel of(String kinds) {
    Set<Kind> all = EnumSet.noneOf(Kind.class);
    for (String word : kinds.split(",", -1)) {
      Kind.named(word).ifPresent(all::add);
    }
    return of(all);
  }

  /// What became of a decision later.
  public enum Kind implements Word {
    PAID,
    /// The reservation expired unpaid.
    UNPAID,
    /// The buyer cancelled before payment.
    CANCELLED,
    REFUNDED,
    APPEAL_WON,
    APPEAL_LOST;

    public static Optional<Kind> named(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
  }
}
