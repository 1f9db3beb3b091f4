package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxSink.DeadLetters;
import fairgate.platform.events.StopSignal.Backoff;
import fairgate.platform.observe.OutageLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers entries to the sink and isolates those that it refuses.
///
/// A refused batch is halved until the faulty entries are alone; the others are delivered at once.
/// A faulty entry stays pending and is retried a few times, because it may depend on another entry
/// that has not arrived yet; then it is parked as a dead letter.
final class OutboxDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxDelivery.class);

  private final OutboxSink sink;
  private final DeadLetters letters;
  private final OutboxRelay.Settings settings;
  private final StopSignal stop;
  private final OutageLog outage = new OutageLog(LOG, "outbox delivery");
  private final Map<String, Deferred> deferred = new LinkedHashMap<>();
  private long parked;
  private long open;

  /// Receives the progress of the delivery.
  interface Listener {
    /// The entries have been delivered or parked durably.
    void finished(OutboxStream stream, List<OutboxEntry> entries);

    /// The sink is unavailable. Called before each pause.
    void unavailable();
  }

  private record Deferred(
      OutboxStream stream, OutboxEntry entry, int tries, long dueNanos, String error) {}

  OutboxDelivery(
      OutboxSink sink, DeadLetters letters, OutboxRelay.Settings settings, StopSignal stop) {
    this.sink = sink;
    this.letters = letters;
    this.settings = settings;
    this.stop = stop;
  }

  /// Delivers entries and reports each part that is finished.
  void deliver(OutboxStream stream, List<OutboxEntry> entries, Listener listener) {
    List<OutboxEntry> fresh = new ArrayList<>(entries.size());
    for (OutboxEntry entry : entries) {
      if (!deferred.containsKey(name(stream, entry))) {
        fresh.add(entry);
      }
    }
    if (!fresh.isEmpty()) {
      halve(stream, fresh, listener);
    }
  }

  private void halve(OutboxStream stream, List<OutboxEntry> entries, Listener listener) {
    try {
      untilAvailable(listener, () -> sink.apply(stream, entries));
    } catch (ServiceUnavailable stopping) {
      throw stopping;
    } catch (RuntimeException refused) {
      if (entries.size() == 1) {
        defer(stream, entries.getFirst(), 1, String.valueOf(refused.getMessage()));
      } else {
        int half = entries.size() / 2;
        halve(stream, entries.subList(0, half), listener);
        halve(stream, entries.subList(half, entries.size()), listener);
      }
      return;
    }
    listener.finished(stream, entries);
  }

  /// Retries deferred entries that are due, and parks those without tries left.
  void retry(Listener listener) {
    for (Deferred one : List.copyOf(deferred.values())) {
      if (one.dueNanos() - System.nanoTime() <= 0) {
        retry(one, listener);
      }
    }
  }

  private void retry(Deferred one, Listener listener) {
    String error = one.error();
    int tries = one.tries();
    try {
      if (tries < settings.tries()) {
        tries++;
        untilAvailable(listener, () -> sink.apply(one.stream(), List.of(one.entry())));
      } else {
        park(one, listener);
      }
    } catch (ServiceUnavailable stopping) {
      throw stopping;
    } catch (RuntimeException refused) {
      error = String.valueOf(refused.getMessage());
      defer(one.stream(), one.entry(), tries, error);
      return;
    }
    deferred.remove(name(one.stream(), one.entry()));
    listener.finished(one.stream(), List.of(one.entry()));
  }

  private void park(Deferred one, Listener listener) {
    untilAvailable(
        listener, () -> letters.park(one.stream(), one.entry(), one.error(), one.tries()));
    parked++;
    open++;
    LOG.error(
        "Parked an outbox entry as a dead letter; entryId={} productId={} tries={} error={}",
        one.entry().id(),
        one.stream().product(),
        one.tries(),
        one.error());
  }

  private void defer(OutboxStream stream, OutboxEntry entry, int tries, String error) {
    LOG.warn(
        "Outbox entry refused; entryId={} productId={} error={}",
        entry.id(),
        stream.product(),
        error);
    Duration wait = settings.firstRetry().multipliedBy(1L << Math.min(tries - 1, 10));
    long due = System.nanoTime() + wait.toNanos();
    deferred.put(name(stream, entry), new Deferred(stream, entry, tries, due, error));
  }

  /// Repeats the step while the sink is unavailable. Throws ServiceUnavailable only when the relay
  /// is stopping.
  private void untilAvailable(Listener listener, Runnable step) {
    Backoff backoff = new Backoff(stop);
    while (true) {
      try {
        step.run();
        outage.worked();
        return;
      } catch (ServiceUnavailable away) {
        if (stop.stopped()) {
          throw away;
        }
        outage.waits(away);
        listener.unavailable();
        backoff.pause();
      }
    }
  }

  /// The longest time that a read may wait without delaying a retry.
  Duration longestWait() {
    long now = System.nanoTime();
    long least = settings.block().toNanos();
    for (Deferred one : deferred.values()) {
      least = Math.min(least, one.dueNanos() - now);
    }
    return Duration.ofNanos(Math.max(0, least));
  }

  /// Waits when there is nothing to read.
  void idle(Duration time) {
    stop.sleep(time);
  }

  void countLetters() {
    try {
      open = letters.open();
    } catch (ServiceUnavailable away) {
      LOG.debug("Could not count the dead letters", away);
    }
  }

  long parked() {
    return parked;
  }

  /// The number of parked entries at the last count.
  long open() {
    return open;
  }

  RelayStatus status(List<RelayStatus.StreamLag> lags, boolean working, Instant now) {
    return new RelayStatus(lags, open, parked, working, now);
  }

  /// The name of an entry. Sales number their entries separately and share the partitions of Kafka,
  /// so the id alone does not identify one.
  static String name(OutboxStream stream, OutboxEntry entry) {
    return stream.product() + " " + stream.key() + " " + entry.id();
  }
}
