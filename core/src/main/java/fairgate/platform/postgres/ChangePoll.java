package fairgate.platform.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices changes of what a node keeps in memory. Four times a second it asks whether anything was
/// written to the database. If so, and once a second in any case, one statement reads the stamps of
/// everything that is watched: values that differ after every change.
public final class ChangePoll {
  private static final Logger LOG = LoggerFactory.getLogger(ChangePoll.class);
  private static final long EVERY_MS = 250;

  /// The age at which stamps are read again, even if nothing was written: they may tell the time of
  /// the database.
  private static final long STAMPS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final String SNAPSHOT = "SELECT pg_current_snapshot()::text";

  private final Vertx vertx;
  private final PostgresDatabase database;
  private final List<Watch> watches = new CopyOnWriteArrayList<>();
  private long timer = -1;
  private volatile boolean polling;

  /// The last reading of all stamps; null while unknown.
  private volatile @Nullable Reading last;

  /// Whether the next poll reads all stamps: something was written a moment ago, or a listener was
  /// busy or has failed.
  private volatile boolean again;

  /// What one statement has read.
  ///
  /// @param at by `System.nanoTime()`
  private record Reading(long at, String snapshot, List<Watch> watches) {
    boolean isRecent(List<Watch> asked) {
      return System.nanoTime() - at < STAMPS_NANOS && watches.equals(asked);
    }
  }

  ChangePoll(Vertx vertx, PostgresDatabase database) {
    this.vertx = vertx;
    this.database = database;
  }

  /// Adds a watch.
  ///
  /// @param stamp a SELECT of one value that is never null, without arguments
  /// @param listener gets the stamp as text whenever it is read, whether it has changed or not, on
  ///   an event loop: within 250 ms after each write, and once a second. It is not called again
  ///   before its future completes; after a failure the next poll calls it again
  public synchronized Watch watch(String stamp, Function<String, Future<Void>> listener) {
    Watch watch = new Watch(stamp, listener);
    watches.add(watch);
    if (timer < 0) {
      timer = vertx.setPeriodic(EVERY_MS, _ -> poll());
    }
    return watch;
  }

  /// The snapshot of the database at the last poll (`pg_current_snapshot`). Nothing has been
  /// written as long as it is the same. Empty while unknown.
  public String snapshot() {
    Reading known = last;
    return known == null ? "" : known.snapshot();
  }

  /// Makes a pass of a periodic job rest while nothing is written to the database: from a pass that
  /// has found no rows to work on until the next write, at most for five seconds. A write is
  /// noticed within 250 ms. For one thread.
  ///
  /// @param pass returns whether it has found rows
  public Runnable resting(BooleanSupplier pass) {
    return new RestingPass(this::snapshot, System::nanoTime, pass);
  }

  /// A listener and its stamp.
  public final class Watch implements AutoCloseable {
    private final String stamp;
    private final Function<String, Future<Void>> listener;
    private volatile boolean listening;
    private volatile boolean closed;

    private Watch(String stamp, Function<String, Future<Void>> listener) {
      this.stamp = stamp;
      this.listener = listener;
    }

    private void tell(String text) {
      if (closed) {
        return;
      }
      if (listening) {
        again = true;
        return;
      }
      listening = true;
      // Composed, so that an exception is a failure too.
      var _ =
          Future.succeededFuture(text)
              .compose(listener)
              .onFailure(
                  e -> {
                    again = true;
                    LOG.debug("Could not read a change; stamp={}", stamp, e);
                  })
              .onComplete(_ -> listening = false);
    }

    /// Ends the watch. A repeat does nothing.
    @Override
    public void close() {
      closed = true;
      remove(this);
    }
  }

  private synchronized void remove(Watch watch) {
    watches.remove(watch);
    if (watches.isEmpty()) {
      close();
    }
  }

  private void poll() {
    List<Watch> asked = List.copyOf(watches);
    if (polling || asked.isEmpty()) {
      return;
    }
    polling = true;
    boolean wanted = again;
    again = false;
    Reading before = last;
    Future<Boolean> written =
        before == null || wanted || !before.isRecent(asked)
            ? Future.succeededFuture(true)
            : isWrittenSince(before.snapshot());
    written
        .compose(is -> is ? read(asked) : Future.succeededFuture())
        .onFailure(
            e -> {
              last = null;
              LOG.debug("Could not read what has changed", e);
            })
        .onComplete(_ -> polling = false);
  }

  private Future<Boolean> isWrittenSince(String snapshot) {
    return database
        .query(SNAPSHOT)
        .map(rows -> !Objects.equals(rows.getFirst().getString(0), snapshot));
  }

  private Future<Void> read(List<Watch> asked) {
    long at = System.nanoTime();
    return database
        .query(
            asked.stream()
                .map(watch -> ", (" + watch.stamp + ")::text")
                .collect(Collectors.joining("", SNAPSHOT, "")))
        .map(
            rows -> {
              Row stamps = rows.getFirst();
              Reading before = last;
              last = new Reading(at, stamps.getString(0), asked);
              again = before == null || !before.snapshot().equals(stamps.getString(0));
              for (int i = 0; i < asked.size(); i++) {
                asked.get(i).tell(stamps.getString(i + 1));
              }
              return null;
            });
  }

  synchronized void close() {
    vertx.cancelTimer(timer);
    timer = -1;
    last = null;
  }

  /// A pass of a periodic job that looks for rows to work on. After a pass that has found none it
  /// rests until something is written to the database, and for at most five seconds, because rows
  /// become due by the clock. Used by one thread.
  static final class RestingPass implements Runnable {
    static final Duration MAX_REST = Duration.ofSeconds(5);

    private final Supplier<String> snapshot;
    private final LongSupplier nanos;
    private final BooleanSupplier pass;
    private String read = "";
    private long restUntil;

    /// @param snapshot the same as long as nothing is written; empty while unknown
    /// @param pass returns whether it has found rows
    RestingPass(Supplier<String> snapshot, LongSupplier nanos, BooleanSupplier pass) {
      this.snapshot = snapshot;
      this.nanos = nanos;
      this.pass = pass;
    }

    @Override
    public void run() {
      // Taken before the pass, which reads the rows of this snapshot or of a later one.
      String current = snapshot.get();
      boolean unchanged = !current.isEmpty() && current.equals(read);
      if (unchanged && nanos.getAsLong() - restUntil < 0) {
        return;
      }
      read = "";
      if (!pass.getAsBoolean()) {
        read = current;
        restUntil = nanos.getAsLong() + MAX_REST.toNanos();
      }
    }
  }
}
