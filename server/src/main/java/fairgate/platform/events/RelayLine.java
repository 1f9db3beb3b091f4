package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.RedisClient;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One virtual thread of the relay: it reads the outboxes that lie on one Redis node, and starts
/// over when the node was away.
final class RelayLine {
  private static final Logger LOG = LoggerFactory.getLogger(RelayLine.class);

  private final RedisClient redis;
  private final String consumer;
  private final Supplier<? extends Collection<OutboxStream>> streams;
  private final Delivery delivery;
  private final RelaySettings settings;
  private final Clock clock;
  private final Pause pause;
  private volatile RelayStatus status;

  /// @param consumer the relay's name among the consumers
  /// @param streams the outboxes there are now; asked before every read
  RelayLine(
      RedisClient redis,
      String consumer,
      Supplier<? extends Collection<OutboxStream>> streams,
      Delivery delivery,
      RelaySettings settings,
      Clock clock,
      Pause pause) {
    this.redis = redis;
    this.consumer = consumer;
    this.streams = streams;
    this.delivery = delivery;
    this.settings = settings;
    this.clock = clock;
    this.pause = pause;
    this.status = delivery.status(List.of(), false, clock.instant());
  }

  RelayStatus status() {
    return status;
  }

  /// Relays until the pause is stopped.
  void run() {
    Backoff backoff = new Backoff(pause);
    while (!pause.stopped()) {
      try (OutboxReader reader = OutboxReader.open(redis, consumer)) {
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
}
