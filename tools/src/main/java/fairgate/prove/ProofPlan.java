package fairgate.prove;

import fairgate.prove.fault.Fault;
import java.time.Duration;
import java.util.List;

/// The settings of a proof.
///
/// @param length how long sales run; draining and checking come on top
/// @param seed of all random choices
/// @param nodes servers, 1 to 3
/// @param on description of the engines besides PostgreSQL
/// @param faults the faults to inject; empty for a run without faults
public record ProofPlan(Duration length, long seed, int nodes, String on, List<Fault> faults) {
  private static final Duration LONG = Duration.ofMinutes(3);

  public ProofPlan {
    faults = List.copyOf(faults);
  }

  /// Whether there is time for outages of a minute.
  boolean isLong() {
    return length.compareTo(LONG) > 0;
  }
}
