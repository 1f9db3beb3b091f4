package fairgate.gate.ban;

import fairgate.platform.observe.Health;
import fairgate.platform.postgres.ChangePoll;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Updates the lists from PostgreSQL.
final class BanSync implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BanSync.class);
  private static final long SWEEP_EVERY_MS = 5_000;
  private static final long STALE_MS = 3_000;

  private final Vertx vertx;
  private final PostgresBans store;
  private final BanLists lists;
  private final Clock clock;
  private final Function<Ban, Future<Void>> onBan;
  private ChangePoll.@Nullable Watch watch;
  private long sweepTimer = -1;
  private volatile long version;
  private volatile long updatedAt;

  /// The number of changes made on this node.
  private long localChanges;

  /// @param onBan called for every entry that comes into force or is extended after the start
  BanSync(
      Vertx vertx,
      PostgresBans store,
      BanLists lists,
      Clock clock,
      Function<Ban, Future<Void>> onBan) {
    this.onBan = onBan;
    this.vertx = vertx;
    this.store = store;
    this.lists = lists;
    this.clock = clock;
  }

  /// Loads all entries. Blocks.
  void start() {
    PostgresBans.Snapshot all = store.load(2 * BanService.MAX_ENTRIES);
    long now = clock.millis();
    all.entries().forEach(entry -> lists.apply(entry, now));
    version = all.version();
    updatedAt = now;
    watch = store.watch(this::look);
    sweepTimer = vertx.setPeriodic(SWEEP_EVERY_MS, _ -> lists.sweep(clock.millis()));
  }

  Health.Status status() {
    long age = clock.millis() - updatedAt;
    return age <= STALE_MS
        ? Health.Status.good()
        : Health.Status.worse("ban list is " + age / 1000 + " s old");
  }

  private Future<Void> look(long newest) {
    if (newest <= version) {
      updatedAt = clock.millis();
      return Future.succeededFuture();
    }
    long before = localChanges();
    return store
        .changes(version)
        .map(
            changes -> {
              take(changes, before);
              return changes.size();
            })
        .compose(size -> size == PostgresBans.PAGE ? look(newest) : Future.<Void>succeededFuture());
  }

  synchronized long localChanges() {
    return localChanges;
  }

  /// Applies a change that this node has written to PostgreSQL.
  synchronized void changeLocally(Runnable change) {
    localChanges++;
    change.run();
  }

  /// Applies changes read from PostgreSQL. A result read before a change of this node may be older
  /// than that change, so it is dropped and read again.
  ///
  /// @param before the number of local changes when PostgreSQL was queried
  synchronized void take(List<Ban.Entry> changes, long before) {
    if (localChanges != before) {
      return;
    }
    long now = clock.millis();
    for (Ban.Entry entry : changes) {
      lists.apply(entry, now);
      version = Math.max(version, entry.version());
      if (entry.liftedAt() == 0 && entry.ban().holds(now)) {
        var _ =
            onBan
                .apply(entry.ban())
                .onFailure(e -> LOG.warn("Could not end the queue places of a banned account", e));
      }
    }
    updatedAt = now;
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
    vertx.cancelTimer(sweepTimer);
  }
}
