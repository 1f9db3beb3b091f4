package fairgate.gate.signature;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;

/// `fairgate_signatures_total`, by result, for signed requests and for unsigned ones to routes that
/// require a signature.
record SignatureMeters(Counter signed, Counter rejected, Counter replayed) {
  static SignatureMeters of(Metrics metrics) {
    return new SignatureMeters(
        counter(metrics, "signed"), counter(metrics, "rejected"), counter(metrics, "replayed"));
  }

  private static Counter counter(Metrics metrics, String outcome) {
    return metrics.counter("fairgate_signatures", "Signatures judged", "outcome", outcome);
  }
}
