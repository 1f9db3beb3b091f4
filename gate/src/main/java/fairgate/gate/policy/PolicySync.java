package fairgate.gate.policy;

import fairgate.gate.risk.CompiledBundle;
import fairgate.platform.observe.Health;
import fairgate.platform.postgres.ChangePoll;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the policy pointer in PostgreSQL, and keeps the versions in use compiled. While
/// PostgreSQL is away, the versions stay in use, except a canary: a node that could not hear of a
/// halt gives everybody the active version.
final class PolicySync implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PolicySync.class);
  private static final long STALE_MS = 3_000;

  private final PostgresPolicies store;
  private final Clock clock;
  private ChangePoll.@Nullable Watch watch;
  private volatile long updatedAt;
  private volatile @Nullable String problem;

  /// The change that this node could not take; it is not tried again.
  private volatile long refusedChange = -1;

  private volatile PoliciesInForce inForce = new PoliciesInForce(PolicyPointer.NONE, Map.of());

  PolicySync(PostgresPolicies store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /// Loads the versions in use. Blocks.
  void start() {
    refresh();
    watch = store.watch(this::look);
  }

  PoliciesInForce inForce() {
    return inForce;
  }

  /// Whether the pointer was read within the last three seconds.
  boolean isFresh() {
    return clock.millis() - updatedAt <= STALE_MS;
  }

  Health.Status status() {
    String current = problem;
    if (current != null) {
      return Health.Status.worse(current);
    }
    return isFresh()
        ? Health.Status.good()
        : Health.Status.worse("policy is " + (clock.millis() - updatedAt) / 1000 + " s old");
  }

  /// Reads the pointer, and loads the versions that this node does not have. Blocks.
  synchronized void refresh() {
    Map<Long, PoliciesInForce.Loaded> loaded = new HashMap<>();
    PolicyPointer pointer =
        store.reading(
            db -> {
              PolicyPointer now = PostgresPolicies.pointer(db);
              for (long version : new long[] {now.active(), now.previous(), now.canary()}) {
                PoliciesInForce.Loaded known = inForce.loaded().get(version);
                if (known != null) {
                  loaded.put(version, known);
                } else if (version != 0) {
                  PostgresPolicies.find(db, version)
                      .flatMap(this::compile)
                      .ifPresent(one -> loaded.put(version, one));
                }
              }
              return now;
            });
    use(new PoliciesInForce(pointer, loaded));
  }

  private void use(PoliciesInForce next) {
    updatedAt = clock.millis();
    PolicyPointer pointer = next.pointer();
    if (pointer.change() <= inForce.pointer().change()) {
      return;
    }
    if (pointer.active() != 0 && !next.loaded().containsKey(pointer.active())) {
      refusedChange = pointer.change();
      problem = "version " + pointer.active() + " of the policy cannot be used by this node";
      LOG.error(
          "Cannot use the active policy; keeping the one before; version={}", pointer.active());
      return;
    }
    problem = null;
    inForce = next;
    LOG.info(
        "Policies in use; active={} canary={} share={}",
        pointer.active(),
        pointer.canary(),
        pointer.canaryShare());
  }

  private java.util.Optional<PoliciesInForce.Loaded> compile(PolicyVersion version) {
    return switch (CompiledBundle.recompile(version.bundle())) {
      case CompiledBundle.Outcome.Accepted(CompiledBundle bundle) ->
          java.util.Optional.of(new PoliciesInForce.Loaded(version, bundle));
      case CompiledBundle.Outcome.Refused refused -> {
        // A newer build has published it.
        LOG.error(
            "Cannot compile a policy; version={} problems={}",
            version.version(),
            refused.problems());
        yield java.util.Optional.empty();
      }
    };
  }

  private Future<Void> look(long change) {
    if (change == inForce.pointer().change() || change == refusedChange) {
      updatedAt = clock.millis();
      return Future.succeededFuture();
    }
    return BlockingWork.call(
            "policy-load",
            () -> {
              refresh();
              return true;
            })
        .mapEmpty();
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
  }
}
