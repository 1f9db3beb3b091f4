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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

  public Set<Channel> channels() {
    return Set.copyOf(channels);
  }

  /// Whether a channel has a service that works, as far as this node has seen.
  public boolean isAnyWorking() {
    return workers.stream().anyMatch(worker -> !worker.isDown());
  }

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

  /// For development: writes messages into a file that only its owner may read, never into the log.
  /// `serve` refuses it.
  ///
  /// @param file created with the first message; emptied when it has become long
  private record ConsoleSender(Path file) implements MessageSender {
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleSender.class);
    private static final long MAX_FILE_BYTES = 64 * 1024;

    /// Two channels may share the file.
    private static final Object FILES = new Object();

    @Override
    public Result send(OutgoingMessage message) {
      try {
        synchronized (FILES) {
          write(message.to() + " " + line(message) + "\n");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      LOG.info("A message was written to {}", file);
      return new Result.Sent();
    }

    private static String line(OutgoingMessage message) {
      return switch (message.content()) {
        case OutgoingMessage.Content.Code(_, String code) -> code;
        case OutgoingMessage.Content.Text(_, String text) -> text.replace('\n', ' ');
      };
    }

    private void write(String line) throws IOException {
      if (!Files.exists(file) || Files.size(file) > MAX_FILE_BYTES) {
        Files.deleteIfExists(file);
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      Files.writeString(file, line, StandardOpenOption.APPEND);
    }
  }

  /// Sends SMS by the API of Twilio, which other gateways offer as well: `POST
  /// /2010-04-01/Accounts/{sid}/Messages.json` with a form and Basic authentication. The API knows
  /// no idempotency key, so a message whose reply was lost may be sent twice.
  private static final class TwilioSender implements MessageSender {
    private static final String SERVICE_PREFIX = "MG";

    private final MessageConfig.Sender.Twilio config;
    private final HttpPost http;
    private final URI address;

    TwilioSender(MessageConfig.Sender.Twilio config, HttpPost http) {
      this.config = config;
      this.http = http;
      this.address =
          URI.create(
              config.url().replaceFirst("/+$", "")
                  + "/2010-04-01/Accounts/"
                  + encoded(config.account())
                  + "/Messages.json");
    }

    @Override
    public Result send(OutgoingMessage message) {
      String from = config.from().startsWith(SERVICE_PREFIX) ? "MessagingServiceSid" : "From";
      String form =
          "To=%s&%s=%s&Body=%s"
              .formatted(
                  encoded(message.to()), from, encoded(config.from()), encoded(message.text()));
      return GatewayAnswers.judge(
          http.send(
              address,
              Map.of(
                  "content-type",
                  "application/x-www-form-urlencoded",
                  "accept",
                  "application/json",
                  "authorization",
                  "Basic " + credentials()),
              form.getBytes(StandardCharsets.US_ASCII)));
    }

    private String credentials() {
      String pair = config.account() + ':' + config.token();
      return Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
      http.close();
    }
  }
}
