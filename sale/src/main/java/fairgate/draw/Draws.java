package fairgate.draw;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.ChangePoll;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The draws of all sales in memory, on any thread. It has this node's own changes at once and
/// those of other nodes within half a second; while PostgreSQL is away it does not change.
public final class Draws implements AutoCloseable {
  private static final long LOAD_S = 10;

  private final PostgresDraws store;
  private final DatabaseClock clock;
  private final ChangePoll.Watch watch;
  private volatile Snapshot snapshot = new Snapshot("", Map.of());

  private record Snapshot(String stamp, Map<String, Draw> draws) {}

  private Draws(PostgresDraws store, DatabaseClock clock) {
    this.store = store;
    this.clock = clock;
    this.watch = store.watch(this::look);
  }

  /// Loads all draws; blocks until they are loaded.
  ///
  /// @param clock is measured whenever PostgreSQL is asked
  static Draws open(PostgresDraws store, DatabaseClock clock) {
    Draws draws = new Draws(store, clock);
    try {
      draws.refresh();
      return draws;
    } catch (RuntimeException e) {
      draws.close();
      throw e;
    }
  }

  /// The draw; empty when there is none.
  public Optional<Draw> find(String id) {
    return Optional.ofNullable(snapshot.draws().get(id));
  }

  /// As `find`, but reads an unknown draw from PostgreSQL: another node may have created it a
  /// moment ago. Blocks; for operators. Throws ServiceUnavailable.
  public Optional<Draw> findOrReload(String id) {
    if (find(id).isEmpty()) {
      refresh();
    }
    return find(id);
  }

  /// All draws in order of their ids.
  public List<Draw> all() {
    return List.copyOf(snapshot.draws().values());
  }

  /// The draw of a sale that is not over, else its latest one; empty when it has none.
  public Optional<Draw> ofProduct(ProductId product) {
    return all().stream()
        .filter(draw -> draw.product().equals(product))
        .max(
            (a, b) ->
                a.state().isOver() == b.state().isOver()
                    ? Long.compare(a.rules().close(), b.rules().close())
                    : Boolean.compare(!a.state().isOver(), !b.state().isOver()));
  }

  /// The time of PostgreSQL, by which draws are judged.
  public Instant now() {
    return clock.instant();
  }

  /// The longest time for which the round of a draw is overdue, in seconds; 0 for none.
  long lateSeconds() {
    long now = now().getEpochSecond();
    return all().stream()
        .flatMapToLong(draw -> draw.lateSince(now).stream())
        .map(since -> now - since)
        .max()
        .orElse(0);
  }

  /// Reloads the snapshot; blocks. Throws ServiceUnavailable.
  void refresh() {
    try {
      load().await(LOAD_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("the draws did not load", Duration.ofSeconds(1));
    }
  }

  private Future<Void> look(PostgresDraws.Stamp stamp) {
    return measured(stamp).equals(snapshot.stamp()) ? Future.succeededFuture() : load();
  }

  /// The stamp is read before the draws, so that the next look sees a change in between.
  private Future<Void> load() {
    return store
        .stamp()
        .map(this::measured)
        .compose(stamp -> store.all().map(all -> new Snapshot(stamp, byId(all))))
        .map(
            fresh -> {
              adopt(fresh);
              return null;
            });
  }

  private String measured(PostgresDraws.Stamp stamp) {
    clock.measure(stamp.now());
    return stamp.versions();
  }

  private static Map<String, Draw> byId(List<Draw> all) {
    Map<String, Draw> byId = new TreeMap<>();
    all.forEach(draw -> byId.put(draw.id(), draw));
    return byId;
  }

  /// Two loads may overtake each other; draws are never deleted, so the one with older versions is
  /// dropped.
  private synchronized void adopt(Snapshot fresh) {
    if (newest(fresh) >= newest(snapshot)) {
      snapshot = fresh;
    }
  }

  private static long newest(Snapshot some) {
    return some.draws().values().stream().mapToLong(Draw::version).max().orElse(0);
  }

  @Override
  public void close() {
    watch.close();
  }

  /// The time of PostgreSQL, by which all nodes judge the windows of draws: the node's own clock,
  /// plus the difference that was measured last.
  static final class DatabaseClock extends Clock {
    private final Clock node;
    private volatile long ahead;

    DatabaseClock(Clock node) {
      this.node = node;
    }

    /// Measures the difference.
    ///
    /// @param databaseMillis the time of PostgreSQL, a moment ago
    void measure(long databaseMillis) {
      ahead = databaseMillis - node.millis();
    }

    @Override
    public long millis() {
      return node.millis() + ahead;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
      return node.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException("draws use no zone of the clock");
    }
  }
}
