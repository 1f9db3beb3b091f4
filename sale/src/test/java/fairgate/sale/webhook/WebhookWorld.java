package fairgate.sale.webhook;

import fairgate.TestEngines;
import fairgate.kernel.ProductId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.observe.Metrics;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.WebhookReceiver;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/// Deliveries in a fresh database, and somebody to receive them.
final class WebhookWorld implements AutoCloseable {
  static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  static final OutboxStream STREAM = new OutboxStream(new ProductId("7"), "event:7:outbox");
  static final Duration SOON = Duration.ofMillis(1);

  /// A busy receiver must not seem silent.
  static final Duration LIMIT = Duration.ofSeconds(50);

  final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  final PostgresDeliveries deliveries = new PostgresDeliveries(books.database());
  final WebhookReceiver receiver = WebhookReceiver.start(SECRET, Clock.systemUTC());
  final Metrics metrics = new Metrics();

  WebhookSender sender(Duration limit, String... secrets) {
    List<String> keys = secrets.length == 0 ? List.of(SECRET) : List.of(secrets);
    WebhookConfig config =
        new WebhookConfig(receiver.url(), keys, limit, List.of(SOON, SOON, SOON));
    return new WebhookSender(
        deliveries,
        new WebhookClient(
            URI.create(config.url()), new WebhookSignature(keys, Clock.systemUTC()), limit),
        config,
        WebhookSender.Meters.of(metrics));
  }

  WebhookSender sender() {
    return sender(LIMIT);
  }

  /// An outbox entry as the purchase scripts write it.
  ///
  /// @param more name, value, name, value, ...
  static OutboxEntry entry(long seq, String kind, String... more) {
    Map<String, String> fields =
        new HashMap<>(
            Map.of(
                "epoch", "1",
                "seq", Long.toString(seq),
                "kind", kind,
                "order", "order_7_" + "a".repeat(26),
                "session", "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11",
                "user", "user-1",
                "device", "device-1",
                "quantity", "1",
                "at", "1790000000000",
                "version", "1"));
    fields.putAll(Map.of("amount", "9999", "currency", "TWD", "status", "pending", "pay_by", "0"));
    for (int i = 0; i < more.length; i += 2) {
      fields.put(more[i], more[i + 1]);
    }
    return new OutboxEntry(seq + "-0", fields);
  }

  /// Lists messages of so many orders.
  void list(int count) {
    deliveries.add(
        IntStream.range(0, count)
            .mapToObj(i -> OrderMessage.of(entry(i + 1L, "reserved"), STREAM.product()))
            .map(Optional::orElseThrow)
            .toList());
  }

  /// How many messages are in this state.
  long count(String state) {
    return books
        .database()
        .query("SELECT count(*) AS n FROM webhook_deliveries WHERE state = $1", state)
        .await()
        .getFirst()
        .getLong("n");
  }

  @Override
  public void close() {
    receiver.close();
    books.close();
  }
}
