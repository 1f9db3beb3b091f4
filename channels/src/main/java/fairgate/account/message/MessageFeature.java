package fairgate.account.message;

import fairgate.account.Budgets;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.HttpPost;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// Messages with one-time codes, wired. Nothing is sent before `start`.
public final class MessageFeature implements AutoCloseable {
  private static final String SEAL_PURPOSE = "code-message-seal";
  private static final Duration CALL_LIMIT = Duration.ofSeconds(5);
  private static final Duration UPKEEP_PERIOD = Duration.ofSeconds(5);

  private final MessageOutbox outbox;
  private final MessageWorker.Meters meters;
  private final MessageConfig.Limits limits;
  private final Set<Channel> channels = EnumSet.noneOf(Channel.class);
  private final List<MessageWorker> workers = new ArrayList<>();
  private final PeriodicJob upkeep =
      new PeriodicJob("expired messages", UPKEEP_PERIOD, this::keepUp);

  private MessageFeature(MessageConfig config, Dependencies parts) {
    this.limits = config.limits();
    this.outbox =
        new MessageOutbox(
            new PostgresMessages(parts.postgres()),
            new KeySeal(parts.keys(), parts.ids(), SEAL_PURPOSE),
            parts.budgets(),
            MessageOutbox.MAX_WAITING);
    this.meters = MessageWorker.Meters.of(parts.metrics());
    for (Channel channel : Channel.values()) {
      if (!(config.of(channel) instanceof MessageConfig.Sender.None)) {
        channels.add(channel);
        workers.add(
            new MessageWorker(
                channel, sender(config.of(channel), parts.clock()), outbox, meters.of(channel)));
      }
    }
  }

  /// The dependencies of messages.
  public record Dependencies(
      PostgresDatabase postgres,
      Budgets budgets,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics) {}

  public static MessageFeature wire(MessageConfig config, Dependencies parts) {
    return new MessageFeature(config, parts);
  }

  static MessageSender sender(MessageConfig.Sender config, Clock clock) {
    return switch (config) {
      case MessageConfig.Sender.None _ -> throw new IllegalArgumentException("the channel is off");
      case MessageConfig.Sender.Console(var file) -> new ConsoleSender(file);
      case MessageConfig.Sender.Webhook(String url, List<String> secrets) ->
          new WebhookSender(
              URI.create(url),
              new WebhookSignature(secrets, clock),
              new HttpPost("message-webhook", CALL_LIMIT));
      case MessageConfig.Sender.Twilio twilio ->
          new TwilioSender(twilio, new HttpPost("message-twilio", CALL_LIMIT));
      case MessageConfig.Sender.Smtp smtp -> new SmtpSender(smtp, null);
    };
  }

  public MessageOutbox outbox() {
    return outbox;
  }

  /// The channels with a service.
  public Set<Channel> channels() {
    return Set.copyOf(channels);
  }

  /// Whether a channel has a service that works, as far as this node has seen.
  public boolean isAnyWorking() {
    return workers.stream().anyMatch(worker -> !worker.isDown());
  }

  /// The limits of messages.
  public MessageConfig.Limits limits() {
    return limits;
  }

  /// Starts sending. Called once.
  public void start() {
    workers.forEach(MessageWorker::start);
    upkeep.start();
  }

  private void keepUp() {
    meters.expired().increment(outbox.expire());
    meters.waiting().set(outbox.waiting());
  }

  @Override
  public void close() {
    upkeep.close();
    workers.forEach(MessageWorker::close);
  }
}
