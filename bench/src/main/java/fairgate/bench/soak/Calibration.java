package fairgate.bench.soak;

import java.util.Locale;
import java.util.Map;

/// Finds how much of the mix the machine bears: faster and faster, until answers get slow.
final class Calibration {
  /// The maximum for the 99th percentile of response times.
  static final int BEARABLE_MS = 100;

  private static final double FIRST = 400;
  private static final double FASTER = 1.3;
  private static final int STEP_MS = 5_000;
  private static final int SETTLE_MS = 1_000;

  private final Traffic traffic;
  private final Caller caller;
  private final Tally tally;

  Calibration(Traffic traffic, Caller caller, Tally tally) {
    this.traffic = traffic;
    this.caller = caller;
    this.tally = tally;
  }

  /// The acts a second of the last step that was borne.
  double run() throws InterruptedException {
    double borne = 0;
    double rate = FIRST;
    int failures = 0;
    while (failures < 2) {
      if (step(rate)) {
        borne = rate;
        rate *= FASTER;
        failures = 0;
      } else {
        // The first seconds of a server are slow whatever the load.
        failures++;
        traffic.pace(borne / 2);
        Soak.sleep(STEP_MS);
      }
    }
    tally.clear();
    if (borne == 0) {
      throw new IllegalStateException("not even " + FIRST + " acts a second are borne");
    }
    return borne;
  }

  private boolean step(double rate) throws InterruptedException {
    traffic.pace(rate);
    Soak.sleep(SETTLE_MS);
    var _ = tally.speeds();
    long before = tally.granted();
    Soak.sleep(STEP_MS);
    Map<Act, Tally.Speed> speeds = tally.speeds();
    double slowest =
        speeds.values().stream()
            .filter(speed -> speed.count() >= 100)
            .mapToDouble(Tally.Speed::p99)
            .max()
            .orElse(Double.POSITIVE_INFINITY);
    double granted = (tally.granted() - before) * 1000.0 / STEP_MS;
    boolean borne = slowest <= BEARABLE_MS && granted >= 0.95 * rate && caller.flying() < rate;
    System.err.printf(
        Locale.ROOT,
        "calibrating: %,.0f acts/s asked, %,.0f granted/s, slowest p99 %.1f ms%s; %s %s%n",
        rate,
        granted,
        slowest,
        borne ? "" : ": too much",
        tally.refused(),
        tally.wrong());
    return borne;
  }
}
