package fairgate.gate.risk;

import fairgate.gate.risk.RiskService.DecisionLog;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps decisions in a bounded queue and writes them in batches on a virtual thread. While
/// PostgreSQL is unavailable they wait; those that do not fit are dropped and counted.
final class DecisionWriter implements DecisionLog, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DecisionWriter.class);
  private static final int BATCH = 1_000;
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_REST = Duration.ofMinutes(1);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

  private final PostgresDecisions store;
  private final BlockingQueue<RiskDecision> waiting;
  private final LongAdder dropped = new LongAdder();
  private final Map<String, String> documents = new ConcurrentHashMap<>();
  private final List<RiskDecision> taken = new ArrayList<>(BATCH);
  private final PeriodicJob job =
      new PeriodicJob("risk-decisions", PAUSE, this::writeWaiting)
          .withRest(LONGEST_REST)
          .withFinalPass(STOP_TIMEOUT);

  DecisionWriter(PostgresDecisions store, int most, Metrics metrics) {
    this.store = store;
    this.waiting = new ArrayBlockingQueue<>(most);
    metrics.gauge("fairgate_risk_log_waiting", "Decisions that wait to be written", waiting::size);
    metrics.gauge(
        "fairgate_risk_log_dropped",
        "Decisions that were not recorded, because too many waited or PostgreSQL refused them",
        dropped::sum);
  }

  void start() {
    job.start();
  }

  @Override
  public void record(RiskDecision decision) {
    if (!waiting.offer(decision)) {
      dropped.increment();
    }
    job.wake();
  }

  @Override
  public void know(RiskBundle bundle) {
    if (!documents.containsKey(bundle.hash())) {
      documents.put(bundle.hash(), bundle.json());
    }
  }

  /// Decisions that were lost on this node since its start.
  long dropped() {
    return dropped.sum();
  }

  private void writeWaiting() {
    boolean more = true;
    while (more) {
      more = writeBatch();
    }
  }

  /// Writes one batch; true when there may be more. The batch stays when PostgreSQL is unavailable.
  private boolean writeBatch() {
    if (taken.isEmpty()) {
      int _ = waiting.drainTo(taken, BATCH);
    }
    if (taken.isEmpty()) {
      return false;
    }
    boolean full = taken.size() >= BATCH;
    try {
      store.write(taken, documents);
    } catch (ServiceUnavailable e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.error("Could not write risk decisions; decisions={}", taken.size(), e);
      dropped.add(taken.size());
    }
    taken.clear();
    return full;
  }

  /// Writes waiting decisions if PostgreSQL is available, then stops.
  @Override
  public void close() {
    job.close();
  }
}
