package fairgate.crowd.proof;

/// The course of one simulated payment and its callbacks.
public enum PaymentCase {
  /// Paid, and reported at once.
  PROMPT("made and told at once"),
  /// Told three times at the same moment.
  TWICE("told three times at the same moment"),
  /// Paid in time and reported after the deadline.
  TOLD_LATE("told after the deadline"),
  /// Paid after the deadline, though the gateway had closed.
  PAID_LATE("made after the deadline"),
  /// Two payments for one order.
  SECOND("made twice"),
  /// Reported for an order that does not exist yet, then paid.
  EARLY("told of an order before there is one"),
  /// Told of its order and of another one as well.
  SHARED("told of two orders"),
  /// One cent too much.
  WRONG("of a wrong sum"),
  /// Not paid; a stranger without the secret reports a payment, and the buyer pays afterwards.
  FORGED("forged");

  private static final PaymentCase[] MIX = {
    PROMPT, PROMPT, PROMPT, TWICE, TWICE, TOLD_LATE, PAID_LATE, SECOND, EARLY, SHARED, SHARED,
    WRONG, FORGED
  };

  private static final PaymentCase[] OF_DEPOSITS = {
    PROMPT, PROMPT, PROMPT, PROMPT, TWICE, TOLD_LATE, PAID_LATE, SECOND, WRONG
  };

  private final String title;

  PaymentCase(String title) {
    this.title = title;
  }

  /// In words, after "payments".
  public String title() {
    return title;
  }

  static PaymentCase ofDeposit(int chance) {
    return OF_DEPOSITS[Math.floorMod(chance, OF_DEPOSITS.length)];
  }

  static PaymentCase of(int chance) {
    return MIX[Math.floorMod(chance, MIX.length)];
  }
}
