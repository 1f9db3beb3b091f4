package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gets entries into the sink, and those it will not take out of the way of the others.
///
/// A refused batch is halved until the entries that are at fault stand alone; the rest goes on at
/// once. An entry at fault stays pending and is tried again a few times, for its cause may be
/// another entry that is still on its way, and is parked in the end.
final class Delivery {
  private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

  private final OutboxSink sink;
  private final DeadLetters letters;
  private final RelaySettings settings;
  private final Pause pause;
  private final Map<String, Deferred> deferred = new LinkedHashMap<>();
  private long parked;
  private long open;

  /// Whom the delivery serves.
  interface Listener {
    /// The entries are durably done with.
    void finished(OutboxStream stream, List<OutboxEntry> entries);

    /// The other side is away; called before each pause.
    void waiting();
  }

  private record Deferred(
      OutboxStream stream, OutboxEntry entry, int tries, long dueNanos, String error) {}

  Delivery(OutboxSink sink, DeadLetters letters, RelaySettings settings, Pause pause) {
    this.sink = sink;
    this.letters = letters;
    this.settings = settings;
    this.pause = pause;
  }

  /// Hands the entries over and tells the listener of each part that is durably done with.
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
      patiently(listener, () -> sink.apply(stream, entries));
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

  /// Tries the entries again whose time has come, and parks those that have had all their tries.
  void retry(Listener listener) {
    for (Deferred one : List.copyOf(deferred.values())) {
      if (one.dueNanos() - System.nanoTime() <= 0) {
        again(one, listener);
      }
    }
  }

  private void again(Deferred one, Listener listener) {
    String error = one.error();
    int tries = one.tries();
    try {
      if (tries < settings.tries()) {
        tries++;
        patiently(listener, () -> sink.apply(one.stream(), List.of(one.entry())));
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
    patiently(listener, () -> letters.park(one.stream(), one.entry(), one.error(), one.tries()));
    parked++;
    open++;
    LOG.error(
        "parked outbox entry {} of sale {} after {} tries: {}",
        one.entry().id(),
        one.stream().product(),
        one.tries(),
        one.error());
  }

  private void defer(OutboxStream stream, OutboxEntry entry, int tries, String error) {
    LOG.warn("outbox entry {} of sale {} refused: {}", entry.id(), stream.product(), error);
    Duration wait = settings.firstRetry().multipliedBy(1L << Math.min(tries - 1, 10));
    long due = System.nanoTime() + wait.toNanos();
    deferred.put(name(stream, entry), new Deferred(stream, entry, tries, due, error));
  }

  /// Repeats the step for as long as the other side is away. Ends with ServiceUnavailable only when
  /// the relay is told to stop.
  private void patiently(Listener listener, Runnable step) {
    Backoff backoff = new Backoff(pause);
    while (true) {
      try {
        step.run();
        return;
      } catch (ServiceUnavailable away) {
        if (pause.stopped()) {
          throw away;
        }
        LOG.warn("the outbox waits: {}", away.getMessage());
        listener.waiting();
        backoff.rest();
      }
    }
  }

  /// How long a read may wait so that no retry comes late.
  Duration longestWait() {
    long now = System.nanoTime();
    long least = settings.block().toNanos();
    for (Deferred one : deferred.values()) {
      least = Math.min(least, one.dueNanos() - now);
    }
    return Duration.ofNanos(Math.max(0, least));
  }

  /// Waits so long when there is nothing to read.
  void idle(Duration time) {
    pause.rest(time);
  }

  void countLetters() {
    try {
      open = letters.open();
    } catch (ServiceUnavailable away) {
      LOG.debug("cannot count the dead letters: {}", away.getMessage());
    }
  }

  long parked() {
    return parked;
  }

  RelayStatus status(List<RelayStatus.StreamLag> lags, boolean working, Instant now) {
    return new RelayStatus(lags, open, parked, working, now);
  }

  private static String name(OutboxStream stream, OutboxEntry entry) {
    return stream.key() + ' ' + entry.id();
  }
}
