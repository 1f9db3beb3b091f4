package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the outbox streams of all sales and hands their entries to a sink, on one virtual thread.
///
/// At least once and never lost: an entry is acknowledged only after the sink has it. Any number of
/// nodes may run a relay; the consumer group shares the entries among them, and what a dead one
/// left behind is taken over. Within one relay entries go on in stream order.
public final class OutboxRelay implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxRelay.class);
  private static final long STOP_MS = 5_000;

  private final RedisClient redis;
  private final String node;
  private final Supplier<? extends Collection<OutboxStream>> streams;
  private final Delivery delivery;
  private final RelaySettings settings;
  private final Clock clock;
  private final Pause pause = new Pause();
  private volatile RelayStatus status;
  private @Nullable Thread thread;

  /// @param node this relay's name among the consumers; stable over restarts if it can be
  /// @param streams the outboxes there are now; asked before every read
  public OutboxRelay(
      RedisClient redis,
      String node,
      Supplier<? extends Collection<OutboxStream>> streams,
      OutboxSink sink,
      DeadLetters letters,
      RelaySettings settings,
      Clock clock) {
    this.redis = redis;
    this.node = node;
    this.streams = streams;
    this.settings = settings;
    this.clock = clock;
    this.delivery = new Delivery(sink, letters, settings, pause);
    this.status = delivery.status(List.of(), false, clock.instant());
  }

  /// Starts relaying; once. Never fails: engines that are away are waited for.
  public synchronized void start() {
    if (thread != null) {
      throw new IllegalStateException("the relay has been started already");
    }
    thread = Thread.ofVirtual().name("outbox-relay").start(this::run);
  }

  /// The backlog as last measured, at most a few seconds ago.
  public RelayStatus status() {
    return status;
  }

  private void run() {
    Backoff backoff = new Backoff(pause);
    while (!pause.stopped()) {
      try (OutboxReader reader = OutboxReader.open(redis, node)) {
        RelayRound round = new RelayRound(reader, delivery, settings, clock, s -> status = s);
        while (!pause.stopped()) {
          round.run(List.copyOf(streams.get()));
          backoff.reset();
        }
      } catch (ServiceUnavailable away) {
        interrupted(backoff, away);
      } catch (RuntimeException broken) {
        LOG.error("the outbox relay stumbled", broken);
        interrupted(backoff, broken);
      }
    }
  }

  private void interrupted(Backoff backoff, RuntimeException why) {
    if (!pause.stopped()) {
      LOG.warn("the outbox relay starts over: {}", why.getMessage());
      status =
          new RelayStatus(
              status.streams(), status.deadLetters(), delivery.parked(), false, clock.instant());
      backoff.rest();
    }
  }

  /// Stops after the batch under way. What was read and not finished stays pending in Redis.
  @Override
  public void close() {
    pause.stop();
    Thread running = thread;
    if (running != null) {
      try {
        if (!running.join(Duration.ofMillis(STOP_MS))) {
          running.interrupt();
        }
      } catch (InterruptedException e) {
        running.interrupt();
        Thread.currentThread().interrupt();
      }
    }
  }
}
