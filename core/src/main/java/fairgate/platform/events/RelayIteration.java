package fairgate.platform.events;

import fairgate.platform.events.OutboxReader.StreamPosition;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// The steps of a relay on one Redis connection.
final class RelayIteration implements OutboxDelivery.Listener {
  /// The interval at which an idle relay polls when it cannot block for entries.
  private static final Duration POLL = Duration.ofMillis(50);

  private static final Duration MEASURE_EVERY = Duration.ofSeconds(2);

  /// The time for which a stream without entries counts as such, unless this relay reads one.
  private static final Duration EMPTY_FOR = Duration.ofSeconds(10);

  private final OutboxReader reader;
  private final OutboxDelivery delivery;
  private final OutboxRelay.Settings settings;
  private final Clock clock;
  private final Consumer<RelayStatus> publish;
  private final Set<OutboxStream> drained = new HashSet<>();
  private final Map<OutboxStream, TrimTracker> trimTrackers = new HashMap<>();

  /// The streams that were measured without entries, with the interval after which they are
  /// measured again.
  private final Map<OutboxStream, Interval> empty = new HashMap<>();

  private final Interval claims;
  private final Interval trims;
  private final Interval measures;

  RelayIteration(
      OutboxReader reader,
      OutboxDelivery delivery,
      OutboxRelay.Settings settings,
      Clock clock,
      Consumer<RelayStatus> publish) {
    this.reader = reader;
    this.delivery = delivery;
    this.settings = settings;
    this.clock = clock;
    this.publish = publish;
    this.claims = new Interval(settings.claimEvery());
    this.trims = new Interval(settings.trimEvery());
    this.measures = new Interval(MEASURE_EVERY);
  }

  /// Reads all streams once and performs all due steps.
  void run(List<OutboxStream> streams) {
    streams.stream().filter(drained::add).forEach(this::drain);
    delivery.retry(this);
    if (claims.due()) {
      streams.stream().filter(stream -> !empty.containsKey(stream)).forEach(this::claim);
    }
    if (trims.due()) {
      trimTrackers.forEach(
          (stream, tracker) -> tracker.floor().ifPresent(at -> reader.trim(stream, at)));
    }
    if (measures.due()) {
      measure(streams);
    }
    if (streams.isEmpty()) {
      delivery.idle(delivery.longestWait());
      return;
    }
    Map<OutboxStream, List<OutboxEntry>> found =
        reader.next(streams, settings.batch(), delivery.longestWait());
    if (found.isEmpty() && !reader.blocks()) {
      delivery.idle(POLL);
    }
    empty.keySet().removeAll(found.keySet());
    found.forEach((stream, entries) -> delivery.deliver(stream, entries, this));
  }

  /// Delivers entries that were pending at this consumer before its last stop or disconnection.
  private void drain(OutboxStream stream) {
    reader.ensureGroup(stream);
    String after = "0";
    while (true) {
      List<OutboxEntry> own = reader.ownPending(stream, after, settings.batch());
      if (own.isEmpty()) {
        return;
      }
      delivery.deliver(stream, own, this);
      after = own.getLast().id();
    }
  }

  private void claim(OutboxStream stream) {
    List<OutboxEntry> idle;
    do {
      idle = reader.claim(stream, settings.claimIdle(), settings.batch());
      if (!idle.isEmpty()) {
        delivery.deliver(stream, idle, this);
      }
    } while (idle.size() == settings.batch());
  }

  @Override
  public void finished(OutboxStream stream, List<OutboxEntry> entries) {
    reader.acknowledge(stream, entries);
    trimTrackers.computeIfAbsent(stream, _ -> new TrimTracker(settings.trimMargin())).add(entries);
  }

  @Override
  public void unavailable() {
    if (measures.due()) {
      publish.accept(delivery.status(lags(drained), false, clock.instant()));
    }
  }

  private void measure(List<OutboxStream> streams) {
    delivery.countLetters();
    publish.accept(delivery.status(lags(streams), true, clock.instant()));
  }

  private List<RelayStatus.StreamLag> lags(Collection<OutboxStream> streams) {
    return streams.stream().map(this::lag).toList();
  }

  private RelayStatus.StreamLag lag(OutboxStream stream) {
    Interval again = empty.get(stream);
    if (again != null && !again.due()) {
      return new RelayStatus.StreamLag(stream.product(), 0, 0, Duration.ZERO);
    }
    RelayStatus.StreamLag lag = reader.lag(stream, clock.millis());
    if (lag.undelivered() + lag.pending() > 0) {
      empty.remove(stream);
    } else if (again == null) {
      Interval next = new Interval(EMPTY_FOR);
      boolean _ = next.due();
      empty.put(stream, next);
    }
    return lag;
  }

  private static final class Interval {
    private final long nanos;
    private long next = System.nanoTime();

    Interval(Duration time) {
      this.nanos = time.toNanos();
    }

    boolean due() {
      long now = System.nanoTime();
      if (now - next < 0) {
        return false;
      }
      next = now + nanos;
      return true;
    }
  }

  /// Tracks the position up to which a stream may be trimmed, without asking Redis.
  static final class TrimTracker {
    private final int margin;
    private final ArrayDeque<Step> steps = new ArrayDeque<>();
    private long count;
    private Optional<StreamPosition> floor = Optional.empty();

    private record Step(StreamPosition last, int entries) {}

    TrimTracker(int margin) {
      this.margin = margin;
    }

    void add(List<OutboxEntry> finished) {
      StreamPosition last = StreamPosition.of(finished.getLast().id());
      Step before = steps.peekLast();
      if (before != null && last.compareTo(before.last()) <= 0) {
        return;
      }
      steps.add(new Step(last, finished.size()));
      count += finished.size();
      while (count - steps.getFirst().entries() >= margin && steps.size() > 1) {
        Step oldest = steps.removeFirst();
        count -= oldest.entries();
        floor = Optional.of(oldest.last());
      }
    }

    /// The position of an entry followed by at least `margin` finished entries; empty until there
    /// is one.
    Optional<StreamPosition> floor() {
      return floor;
    }
  }
}
