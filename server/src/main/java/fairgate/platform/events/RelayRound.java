package fairgate.platform.events;

import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// The relay's steps on one Redis connection.
final class RelayRound implements Delivery.Listener {
  /// How often an idle relay looks where it cannot wait for entries.
  private static final Duration POLL = Duration.ofMillis(50);

  private static final Duration MEASURE_EVERY = Duration.ofSeconds(2);

  private final OutboxReader reader;
  private final Delivery delivery;
  private final RelaySettings settings;
  private final Clock clock;
  private final Consumer<RelayStatus> publish;
  private final Set<OutboxStream> drained = new HashSet<>();
  private final Map<OutboxStream, FinishedTail> tails = new HashMap<>();
  private final Every claims;
  private final Every trims;
  private final Every measures;

  RelayRound(
      OutboxReader reader,
      Delivery delivery,
      RelaySettings settings,
      Clock clock,
      Consumer<RelayStatus> publish) {
    this.reader = reader;
    this.delivery = delivery;
    this.settings = settings;
    this.clock = clock;
    this.publish = publish;
    this.claims = new Every(settings.claimEvery());
    this.trims = new Every(settings.trimEvery());
    this.measures = new Every(MEASURE_EVERY);
  }

  /// One read of all streams, and whatever else is due.
  void run(List<OutboxStream> streams) {
    streams.stream().filter(drained::add).forEach(this::drain);
    delivery.retry(this);
    if (claims.due()) {
      streams.forEach(this::claim);
    }
    if (trims.due()) {
      tails.forEach((stream, tail) -> tail.floor().ifPresent(at -> reader.trim(stream, at)));
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
    if (found.isEmpty() && !reader.waits()) {
      delivery.idle(POLL);
    }
    found.forEach((stream, entries) -> delivery.deliver(stream, entries, this));
  }

  /// First what this consumer was given before it last stopped or lost its connection.
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
    reader.finish(stream, entries);
    tails.computeIfAbsent(stream, _ -> new FinishedTail(settings.trimMargin())).add(entries);
  }

  @Override
  public void waiting() {
    if (measures.due()) {
      publish.accept(delivery.status(lags(drained), false, clock.instant()));
    }
  }

  private void measure(List<OutboxStream> streams) {
    delivery.countLetters();
    publish.accept(delivery.status(lags(streams), true, clock.instant()));
  }

  private List<RelayStatus.StreamLag> lags(Collection<OutboxStream> streams) {
    return streams.stream().map(stream -> reader.lag(stream, clock.millis())).toList();
  }

  /// Says when something is due again.
  private static final class Every {
    private final long nanos;
    private long next = System.nanoTime();

    Every(Duration time) {
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
}
