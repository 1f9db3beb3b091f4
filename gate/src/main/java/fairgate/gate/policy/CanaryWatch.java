package fairgate.gate.policy;

import fairgate.gate.policy.DecisionCounts.CanaryCounts;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.Db;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Adds this node's counts to those of all nodes, and then stops the canary when a guardrail is
/// breached, or doubles its share when enough decisions were clean. Runs on every node; the lock of
/// the pointer makes the passes of all nodes follow each other.
///
/// A canary starts with one percent of the people, or with none: then it is only evaluated. It
/// needs [#CLEAN_PER_PERCENT] decisions for each percent of its present share before the share
/// doubles. So a version that refuses everybody is stopped before a second percent of the people
/// meets it.
final class CanaryWatch implements AutoCloseable {
  static final int FIRST_SHARE = 100;
  static final int CLEAN_PER_PERCENT = 50;

  private static final Logger LOG = LoggerFactory.getLogger(CanaryWatch.class);
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final String ACTOR = "guardrail";

  private final PostgresPolicies store;
  private final PolicySync sync;
  private final DecisionCounts counts;
  private final BiFunction<Db, PolicyVersion, long[]> appeals;
  private final Meters meters;
  private final Audit audit;
  private final PeriodicJob job = new PeriodicJob("policy-canary", PAUSE, this::pass);

  /// @param appeals the numbers of appeals won and lost against the decisions of a version
  CanaryWatch(
      PostgresPolicies store,
      PolicySync sync,
      DecisionCounts counts,
      BiFunction<Db, PolicyVersion, long[]> appeals,
      Meters meters,
      Audit audit) {
    this.store = store;
    this.sync = sync;
    this.counts = counts;
    this.appeals = appeals;
    this.meters = meters;
    this.audit = audit;
  }

  void start() {
    job.start();
  }

  /// One pass. Blocks. Does nothing without a canary.
  void pass() {
    PolicyPointer seen = sync.inForce().pointer();
    List<PostgresPolicies.Count> taken = counts.take(seen);
    if (seen.canary() == 0 && taken.isEmpty()) {
      return;
    }
    Boolean changed =
        store.change(
            (db, pointer) -> {
              List<PostgresPolicies.Count> current =
                  taken.stream().filter(count -> count.run() == pointer.canaryRun()).toList();
              if (!current.isEmpty()) {
                PostgresPolicies.count(db, current);
              }
              return pointer.canary() != 0 && judge(db, pointer);
            });
    if (changed) {
      sync.refresh();
    }
  }

  private boolean judge(Db db, PolicyPointer pointer) {
    PolicyVersion version = PostgresPolicies.find(db, pointer.canary()).orElseThrow();
    Map<String, Map<String, Long>> sides = PostgresPolicies.counts(db, pointer.canaryRun());
    long[] appealed = appeals.apply(db, version);
    CanaryCounts canary =
        CanaryCounts.of(
            sides.getOrDefault(DecisionCounts.CANARY, Map.of()), appealed[0], appealed[1]);
    CanaryCounts active =
        CanaryCounts.of(sides.getOrDefault(DecisionCounts.ACTIVE, Map.of()), 0, 0);
    Optional<String> breach = version.guardrails().breach(canary, active);
    if (breach.isPresent()) {
      halt(db, pointer, breach.get(), canary, active);
      return true;
    }
    int share = pointer.canaryShare();
    if (share < pointer.canaryGoal()
        && canary.decisions() * FIRST_SHARE >= (long) share * CLEAN_PER_PERCENT) {
      int next = Math.min(pointer.canaryGoal(), share * 2);
      PostgresPolicies.move(db, pointer.withShare(next));
      PostgresPolicies.note(db, pointer.canary(), "ramped", "server", percent(next));
      return true;
    }
    return false;
  }

  private void halt(
      Db db, PolicyPointer pointer, String breach, CanaryCounts canary, CanaryCounts active) {
    PostgresPolicies.move(db, pointer.withoutCanary());
    PostgresPolicies.note(
        db,
        pointer.canary(),
        "halted",
        ACTOR,
        breach + "; canary: " + canary + "; active: " + active);
    LOG.warn(
        "Stopped the canary of a policy; version={} guardrail={} share={} canary={} active={}",
        pointer.canary(),
        breach,
        percent(pointer.canaryShare()),
        canary,
        active);
    audit.note(
        new AuditEvent(
            AuditEvent.Kind.ADMIN,
            "policy_canary_halted",
            Caller.NONE,
            Map.of("version", pointer.canary(), "guardrail", breach)));
    meters.halted(breach);
  }

  static String percent(int share) {
    return share / 100.0 + " %";
  }

  @Override
  public void close() {
    job.close();
  }

  static final class Meters {
    private static final String HALTS = "fairgate_policy_canary_halts_total";
    private static final String[] GUARDRAILS = {
      "paid_refused", "refusals", "challenges", "appeals_won", "p99"
    };

    private final Metrics metrics;

    Meters(Metrics metrics, PolicySync sync) {
      this.metrics = metrics;
      metrics.gauge(
          "fairgate_policy_version",
          "Version of the risk policy in use on this node; 0 = none",
          () -> sync.inForce().pointer().active(),
          "role",
          "active");
      metrics.gauge(
          "fairgate_policy_version",
          "Version of the risk policy in use on this node; 0 = none",
          () -> sync.inForce().pointer().canary(),
          "role",
          "canary");
      metrics.gauge(
          "fairgate_policy_canary_ratio",
          "Share of the people who get the canary",
          () -> (double) sync.inForce().pointer().canaryShare() / PoliciesInForce.PARTS);
      for (String guardrail : GUARDRAILS) {
        var _ = halts(guardrail);
      }
    }

    void halted(String guardrail) {
      halts(guardrail).increment();
    }

    private io.micrometer.core.instrument.Counter halts(String guardrail) {
      return metrics.counter(
          HALTS, "Canaries of the risk policy that a guardrail stopped", "guardrail", guardrail);
    }
  }
}
