package fairgate.account.message;

import fairgate.account.message.MessageOutbox.Taken;
import fairgate.account.message.MessageSender.Result;
import fairgate.kernel.CircuitBreaker;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the waiting messages of one channel. Runs on all nodes; one node at a time works on a
/// message. A message is sent under the same id until it is accepted, refused or expired. While the
/// service fails, one message at a time tests whether it is back.
final class MessageWorker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MessageWorker.class);
  private static final Duration PERIOD = Duration.ofMillis(250);

  /// The rest while no message is due, unless this node accepts one. Messages of other nodes wait
  /// this long if their node dies.
  private static final Duration REST = Duration.ofMillis(750);

  private static final Duration PROBE_PAUSE = Duration.ofSeconds(2);
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);
  private static final int MAX_FAILURES = 5;
  private static final int MAX_DOUBLINGS = 5;
  private static final int BATCH_SIZE = 32;

  private final Channel channel;
  private final MessageSender sender;
  private final MessageOutbox outbox;
  private final Meters.Outcomes meters;
  private final CircuitBreaker breaker =
      new CircuitBreaker(MAX_FAILURES, PROBE_PAUSE, System::nanoTime);
  private final PeriodicJob job;
  private final OutageLog outage =
      new OutageLog(LOG, "messages that are due", Duration.ofSeconds(5));

  MessageWorker(
      Channel channel, MessageSender sender, MessageOutbox outbox, Meters.Outcomes meters) {
    this.channel = channel;
    this.sender = sender;
    this.outbox = outbox;
    this.meters = meters;
    this.job =
        new PeriodicJob("messages by " + channel.wireName(), PERIOD, this::run).withRest(REST);
    outbox.onAccepted(job::wake);
  }

  /// Starts to check four times a second, and once a second while there is nothing to do. Called
  /// once.
  void start() {
    job.start();
  }

  /// Whether the service fails, as far as this node has seen.
  boolean isDown() {
    return breaker.isOpen();
  }

  private void run() {
    int sent;
    do {
      sent = pass();
    } while (!job.isStopping() && sent == BATCH_SIZE);
    if (sent > 0) {
      job.wake();
    }
  }

  /// Sends the due messages and returns their number.
  int pass() {
    if (breaker.isOpen()) {
      return breaker.allows() ? probe() : 0;
    }
    List<Taken> batch = outbox.take(channel, BATCH_SIZE);
    BlockingWork.forEach("message", batch, this::guarded);
    return batch.size();
  }

  /// Sends one message. Decoys say nothing about the service, so they are passed over.
  private int probe() {
    for (int i = 0; i < BATCH_SIZE; i++) {
      List<Taken> one = outbox.take(channel, 1);
      if (one.isEmpty()) {
        return 0;
      }
      guarded(one.getFirst());
      if (one.getFirst().message().isPresent()) {
        return 1;
      }
    }
    return 0;
  }

  private void guarded(Taken taken) {
    try {
      settle(taken, result(taken));
      outage.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("Message will be taken again; id={}", taken.due().id(), e);
      outage.waits(e);
    } catch (RuntimeException e) {
      LOG.error("Could not send a message; id={}", taken.due().id(), e);
    }
  }

  /// A decoy shares the fate of a message, so that budgets do not reveal it.
  private Result result(Taken taken) {
    if (taken.message().isPresent()) {
      return sender.send(taken.message().get());
    }
    return breaker.isOpen() ? new Result.NotSent("decoy", Duration.ZERO) : new Result.Sent();
  }

  private void settle(Taken taken, Result result) {
    boolean real = taken.message().isPresent();
    switch (result) {
      case Result.Sent() -> {
        outbox.remove(taken);
        if (real) {
          meters.sent().increment();
          answered();
        }
      }
      case Result.Refused(String reason) -> {
        outbox.remove(taken);
        meters.refused().increment();
        LOG.warn(
            "Message refused; id={} channel={} answer={}",
            taken.due().id(),
            channel.wireName(),
            reason);
        answered();
      }
      case Result.NotSent(String reason, Duration retryAfter) -> {
        outbox.postpone(taken, longer(ownWait(taken), retryAfter), false);
        if (real) {
          failed(taken, reason);
        }
      }
      case Result.Unknown(String reason) -> {
        outbox.postpone(taken, ownWait(taken), true);
        failed(taken, reason);
      }
    }
  }

  private void answered() {
    if (breaker.succeeded()) {
      LOG.info("Messages are sent again; channel={}", channel.wireName());
    }
  }

  private void failed(Taken taken, String reason) {
    meters.retried().increment();
    if (breaker.failed()) {
      LOG.error(
          "Messages cannot be sent; codes wait for at most {} s; channel={} reason={}",
          MessageOutbox.LIFE.toSeconds(),
          channel.wireName(),
          reason);
    } else {
      LOG.debug("Message not sent; id={} reason={}", taken.due().id(), reason);
    }
  }

  private static Duration ownWait(Taken taken) {
    int doublings = Math.min(taken.due().tries() - 1, MAX_DOUBLINGS);
    Duration wait = Duration.ofSeconds(1L << doublings);
    return wait.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : wait;
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /// Stops sending.
  @Override
  public void close() {
    job.close();
    sender.close();
  }

  /// `fairgate_messages_total` by channel and outcome of a try, `fairgate_messages_expired_total`,
  /// and the number of waiting messages.
  record Meters(Map<Channel, Outcomes> outcomes, Counter expired, AtomicLong waiting) {

    record Outcomes(Counter sent, Counter retried, Counter refused) {}

    static Meters of(Metrics metrics) {
      AtomicLong waiting = new AtomicLong();
      metrics.gauge("fairgate_messages_waiting", "Messages not sent yet", waiting::get);
      Map<Channel, Outcomes> outcomes = new EnumMap<>(Channel.class);
      for (Channel channel : Channel.values()) {
        outcomes.put(
            channel,
            new Outcomes(
                counter(metrics, channel, "sent"),
                counter(metrics, channel, "retried"),
                counter(metrics, channel, "refused")));
      }
      return new Meters(
          outcomes,
          metrics.counter("fairgate_messages_expired", "Messages that were not sent in time"),
          waiting);
    }

    Outcomes of(Channel channel) {
      Outcomes found = outcomes.get(channel);
      if (found == null) {
        throw new IllegalStateException("no counters for " + channel);
      }
      return found;
    }

    private static Counter counter(Metrics metrics, Channel channel, String outcome) {
      return metrics.counter(
          "fairgate_messages",
          "Tries to send messages",
          "channel",
          channel.wireName(),
          "outcome",
          outcome);
    }
  }
}
