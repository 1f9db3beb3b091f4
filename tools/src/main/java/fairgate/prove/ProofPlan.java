package fairgate.prove;

import fairgate.prove.fault.Fault;
import java.time.Duration;
import java.util.List;

/// What is proved.
///
/// @param length how long sales run; draining and checking come on top
/// @param seed of all chance
/// @param nodes servers, 1 to 3
/// @param on what they run on besides PostgreSQL, in words
/// @param faults what is injected; none for a run in peace
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
