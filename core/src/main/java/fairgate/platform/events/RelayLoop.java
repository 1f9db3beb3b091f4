package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.redis.RedisClient;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The loop of one relay thread: it reads the outboxes of one Redis node and reconnects after
/// failures.
final class RelayLoop {
  private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);

  private final RedisClient redis;
  private final String consumer;
  private final Supplier<? extends Collection<OutboxStream>> streams;
  private final OutboxDelivery delivery;
  private final RelaySettings settings;
  private final Clock clock;
  private final StopSignal stop;
  private final OutageLog outage = new OutageLog(LOG, "outbox relay");
  private volatile RelayStatus status;

  /// @param consumer the consumer name of the relay
  /// @param streams the current outboxes; read before every iteration
  RelayLoop(
      RedisClient redis,
      String consumer,
      Supplier<? extends Collection<OutboxStream>> streams,
      OutboxDelivery delivery,
      RelaySettings settings,
      Clock clock,
      StopSignal stop) {
    this.redis = redis;
    this.consumer = consumer;
    this.streams = streams;
    this.delivery = delivery;
    this.settings = settings;
    this.clock = clock;
    this.stop = stop;
    this.status = delivery.status(List.of(), false, clock.instant());
  }

  RelayStatus status() {
    return status;
  }

  /// Runs until stopped.
  void run() {
    Backoff backoff = new Backoff(stop);
    while (!stop.stopped()) {
      try (OutboxReader reader = OutboxReader.open(redis, consumer)) {
        RelayIteration iteration =
            new RelayIteration(reader, delivery, settings, clock, s -> status = s);
        while (!stop.stopped()) {
          iteration.run(List.copyOf(streams.get()));
          outage.worked();
          backoff.reset();
        }
      } catch (ServiceUnavailable away) {
        if (!stop.stopped()) {
          outage.waits(away);
        }
        interrupted(backoff);
      } catch (RuntimeException broken) {
        LOG.error("The outbox relay failed; starting again", broken);
        interrupted(backoff);
      }
    }
  }

  private void interrupted(Backoff backoff) {
    if (!stop.stopped()) {
      status =
          new RelayStatus(
              status.streams(), status.deadLetters(), delivery.parked(), false, clock.instant());
      backoff.pause();
    }
  }
}
