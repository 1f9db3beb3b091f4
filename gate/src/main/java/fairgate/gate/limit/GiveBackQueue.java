package fairgate.gate.limit;

import fairgate.gate.limit.GiveBackScript.Row;
import io.vertx.core.Vertx;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends calls that are given back to Redis: many rows a run, one run at a time. While Redis does
/// not answer, rows of windows are retried until they expire. Rows of rates are not retried: the
/// first try may have been counted. Safe for use by any thread.
final class GiveBackQueue {
  private static final Logger LOG = LoggerFactory.getLogger(GiveBackQueue.class);

  private static final int MOST_IN_RUN = 256;
  private static final int MOST_WAITING = 100_000;
  private static final long AGAIN_MS = 250;

  private final Vertx vertx;
  private final GiveBackScript script;
  private final LongSupplier nanos;
  private final Map<Place, PendingRow> waiting = new LinkedHashMap<>();
  private long numbers;
  private boolean running;
  private int underWay;

  /// Identifies a row. Each call of a rate is a row of its own.
  private record Place(String key, long micros, long number) {}

  /// @param until when it is over, by `nanos`
  private record PendingRow(Row row, long until) {}

  GiveBackQueue(Vertx vertx, GiveBackScript script, LongSupplier nanos) {
    this.vertx = vertx;
    this.script = script;
    this.nanos = nanos;
  }

  /// Queues a row. When the queue is full the row is dropped and its calls stay counted.
  ///
  /// @param lifeMicros after which it says nothing any more
  void add(Row row, long lifeMicros) {
    long until = nanos.getAsLong() + TimeUnit.MICROSECONDS.toNanos(lifeMicros);
    synchronized (this) {
      Place place =
          switch (row) {
            case Row.Window window -> new Place(window.key(), window.micros(), 0);
            case Row.Rate rate -> new Place(rate.key(), 0, ++numbers);
          };
      if (waiting.size() < MOST_WAITING || waiting.containsKey(place)) {
        // A later row of the same run leaves fewer of its calls.
        waiting.put(place, new PendingRow(row, until));
      }
      if (running) {
        return;
      }
      running = true;
    }
    vertx.runOnContext(_ -> tell());
  }

  /// The number of rows that Redis has not confirmed.
  synchronized int size() {
    return waiting.size() + underWay;
  }

  private void tell() {
    Map<Place, PendingRow> batch = next();
    if (batch.isEmpty()) {
      return;
    }
    script
        .run(batch.values().stream().map(PendingRow::row).toList())
        .onSuccess(_ -> tell())
        .onFailure(failure -> untold(batch, failure));
  }

  /// Takes the next rows; none when the queue is empty.
  private synchronized Map<Place, PendingRow> next() {
    long now = nanos.getAsLong();
    Map<Place, PendingRow> batch = new LinkedHashMap<>();
    Iterator<Map.Entry<Place, PendingRow>> all = waiting.entrySet().iterator();
    while (all.hasNext() && batch.size() < MOST_IN_RUN) {
      Map.Entry<Place, PendingRow> one = all.next();
      if (now - one.getValue().until() < 0) {
        batch.put(one.getKey(), one.getValue());
      }
      all.remove();
    }
    running = !batch.isEmpty();
    underWay = batch.size();
    return batch;
  }

  private void untold(Map<Place, PendingRow> batch, Throwable failure) {
    LOG.debug("Redis was not told what is taken back of limits; rows={}", batch.size(), failure);
    synchronized (this) {
      underWay = 0;
      batch.forEach(
          (place, due) -> {
            if (due.row() instanceof Row.Window) {
              var _ = waiting.putIfAbsent(place, due);
            }
          });
    }
    long _ = vertx.setTimer(AGAIN_MS, _ -> tell());
  }
}
