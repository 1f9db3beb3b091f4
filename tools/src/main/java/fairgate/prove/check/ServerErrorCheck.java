package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I23;

import fairgate.crowd.proof.RecordedCall;

/// Checks that no call of a buyer, a payment gateway or an operator was answered 500.
///
/// A server that cannot serve a call answers 503, whatever fault is active. A call without an
/// answer is skipped.
final class ServerErrorCheck {
  private static final int INTERNAL_SERVER_ERROR = 500;

  private final Evidence evidence;
  private final InvariantResults tally;

  ServerErrorCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check() {
    evidence.journal().stream().filter(call -> !call.answer().unknown()).forEach(this::check);
  }

  private void check(RecordedCall call) {
    tally.that(
        I23,
        call.answer().status() != INTERNAL_SERVER_ERROR,
        "%s of sale \"%s\" with key \"%s\" was answered 500, error \"%s\"",
        call.act(),
        call.sale(),
        call.key(),
        call.answer().error());
  }
}
