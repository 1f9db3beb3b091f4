package fairgate.platform.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices changes of what a node keeps in memory. One statement, four times a second, reads the
/// stamps of everything that is watched: values that differ after every change. It also tells
/// whether anything was written to the database at all.
public final class ChangePoll {
  private static final Logger LOG = LoggerFactory.getLogger(ChangePoll.class);
  private static final long EVERY_MS = 250;

  private final Vertx vertx;
  private final PostgresDatabase database;
  private final List<Watch> watches = new CopyOnWriteArrayList<>();
  private long timer = -1;
  private volatile boolean polling;
  private volatile String snapshot = "";

  ChangePoll(Vertx vertx, PostgresDatabase database) {
    this.vertx = vertx;
    this.database = database;
  }

  /// Adds a watch.
  ///
  /// @param stamp a SELECT of one value that is never null, without arguments
  /// @param listener gets the stamp as text after every poll, whether it has changed or not, on an
  ///   event loop. It is not called again before its future completes; a failure changes nothing
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
    return snapshot;
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
      if (listening || closed) {
        return;
      }
      listening = true;
      // Composed, so that an exception is a failure too.
      var _ =
          Future.succeededFuture(text)
              .compose(listener)
              .onFailure(e -> LOG.debug("Could not read a change; stamp={}", stamp, e))
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
    database
        .query(
            asked.stream()
                .map(watch -> ", (" + watch.stamp + ")::text")
                .collect(Collectors.joining("", "SELECT pg_current_snapshot()::text", "")))
        .onSuccess(
            rows -> {
              Row stamps = rows.getFirst();
              snapshot = stamps.getString(0);
              for (int i = 0; i < asked.size(); i++) {
                asked.get(i).tell(stamps.getString(i + 1));
              }
            })
        .onFailure(
            e -> {
              snapshot = "";
              LOG.debug("Could not read what has changed", e);
            })
        .onComplete(_ -> polling = false);
  }

  /// Stops polling.
  synchronized void close() {
    vertx.cancelTimer(timer);
    timer = -1;
    snapshot = "";
  }
}
