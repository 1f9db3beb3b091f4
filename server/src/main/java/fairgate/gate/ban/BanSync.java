package fairgate.gate.ban;

import fairgate.platform.observe.Health;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the lists in step with PostgreSQL: asks for changes four times a second.
final class BanSync implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BanSync.class);
  private static final long LOOK_EVERY_MS = 250;
  private static final long SWEEP_EVERY_MS = 5_000;
  private static final long STALE_MS = 3_000;

  private final Vertx vertx;
  private final PostgresBans store;
  private final BanLists lists;
  private final Clock clock;
  private long looking = -1;
  private long sweeping = -1;
  private volatile long version;
  private volatile long seenAt;
  private volatile boolean asked;

  BanSync(Vertx vertx, PostgresBans store, BanLists lists, Clock clock) {
    this.vertx = vertx;
    this.store = store;
    this.lists = lists;
    this.clock = clock;
  }

  /// Loads all; blocks until it is there.
  void start() {
    PostgresBans.Snapshot all = store.load(2 * BanService.MOST);
    long now = clock.millis();
    all.entries().forEach(entry -> lists.apply(entry, now));
    version = all.version();
    seenAt = now;
    looking = vertx.setPeriodic(LOOK_EVERY_MS, _ -> look());
    sweeping = vertx.setPeriodic(SWEEP_EVERY_MS, _ -> lists.sweep(clock.millis()));
  }

  Health.Status status() {
    long age = clock.millis() - seenAt;
    return age <= STALE_MS
        ? Health.Status.good()
        : Health.Status.worse("changes of the last " + age / 1000 + " s are not known here");
  }

  private void look() {
    if (asked) {
      return;
    }
    asked = true;
    store
        .changes(version)
        .onSuccess(this::take)
        .onFailure(e -> LOG.debug("bans could not be read: {}", e.getMessage()))
        .onComplete(_ -> asked = false);
  }

  private void take(List<BanEntry> changes) {
    long now = clock.millis();
    for (BanEntry entry : changes) {
      lists.apply(entry, now);
      version = Math.max(version, entry.version());
    }
    seenAt = now;
    if (changes.size() == PostgresBans.PAGE) {
      vertx.runOnContext(_ -> look());
    }
  }

  @Override
  public void close() {
    vertx.cancelTimer(looking);
    vertx.cancelTimer(sweeping);
  }
}
