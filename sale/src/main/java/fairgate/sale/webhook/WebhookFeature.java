package fairgate.sale.webhook;

import fairgate.kernel.Ids;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// The wiring of order webhooks. Does nothing when no address is configured.
public final class WebhookFeature implements AutoCloseable {
  private final PostgresDeliveries deliveries;
  private final Optional<WebhookSender> sender;
  private final OrderMessages messages;

  private WebhookFeature(
      PostgresDeliveries deliveries, Optional<WebhookSender> sender, OrderMessages messages) {
    this.deliveries = deliveries;
    this.messages = messages;
    this.sender = sender;
  }

  public record Dependencies(PostgresDatabase postgres, Clock clock, Metrics metrics) {}

  /// Throws IllegalArgumentException when the settings have problems. Nothing runs before `start`.
  public static WebhookFeature wire(WebhookConfig config, Dependencies parts) {
    List<String> problems = config.problems();
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    PostgresDeliveries deliveries = new PostgresDeliveries(parts.postgres());
    return new WebhookFeature(
        deliveries,
        config.isOn() ? Optional.of(sender(config, deliveries, parts)) : Optional.empty(),
        new PostgresOrderMessages(parts.postgres(), config.isOn()));
  }

  private static WebhookSender sender(
      WebhookConfig config, PostgresDeliveries deliveries, Dependencies parts) {
    return new WebhookSender(
        deliveries,
        new WebhookClient(
            URI.create(config.url()),
            new WebhookSignature(config.secrets(), parts.clock()),
            config.timeLimit()),
        config,
        WebhookSender.Meters.of(parts.metrics()));
  }

  /// Wraps the ledger's sink so that each event it has taken becomes a message to send.
  public OutboxSink sink(OutboxSink ledger) {
    return sender.isPresent() ? new WebhookOutbox(ledger, deliveries) : ledger;
  }

  public OrderMessages messages() {
    return messages;
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin, Ids ids) {
    return new WebhookAdmin(messages, ids).routes(admin);
  }

  public void start() {
    sender.ifPresent(WebhookSender::start);
  }

  @Override
  public void close() {
    sender.ifPresent(WebhookSender::close);
  }

  /// Adds a message for each event after the ledger has taken it. The relay acknowledges an entry
  /// after both. If it delivers the entry again, both change nothing.
  record WebhookOutbox(OutboxSink ledger, PostgresDeliveries deliveries) implements OutboxSink {
    @Override
    public void apply(OutboxStream stream, List<OutboxEntry> entries) {
      ledger.apply(stream, entries);
      List<OrderMessage> messages =
          entries.stream()
              .map(entry -> OrderMessage.of(entry, stream.product()))
              .flatMap(Optional::stream)
              .toList();
      if (!messages.isEmpty()) {
        deliveries.add(messages);
      }
    }
  }
}
