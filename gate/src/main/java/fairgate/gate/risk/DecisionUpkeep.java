package fairgate.gate.risk;

import fairgate.platform.run.PeriodicJob;
import java.time.Duration;

/// Deletes old decisions.
final class DecisionUpkeep implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofHours(1);

  private final PostgresDecisions store;
  private final Duration kept;
  private final PeriodicJob job = new PeriodicJob("risk-upkeep", PAUSE, this::pass);

  DecisionUpkeep(PostgresDecisions store, Duration kept) {
    this.store = store;
    this.kept = kept;
  }

  void start() {
    job.withFirstPassAtOnce().start();
  }

  private void pass() {
    int deleted;
    do {
      deleted = store.deleteOlder(kept);
    } while (deleted > 0 && !job.isStopping());
  }

  @Override
  public void close() {
    job.close();
  }
}
