package fairgate.account.message;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/// `fairgate_messages_total` by channel and outcome of a try, `fairgate_messages_expired_total`,
/// and the number of waiting messages.
record MessageMeters(Map<Channel, Outcomes> outcomes, Counter expired, AtomicLong waiting) {

  /// The outcomes of tries on one channel.
  record Outcomes(Counter sent, Counter retried, Counter refused) {}

  static MessageMeters of(Metrics metrics) {
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
    return new MessageMeters(
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
