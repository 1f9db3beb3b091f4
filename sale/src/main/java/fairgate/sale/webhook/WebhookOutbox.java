package fairgate.sale.webhook;

import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import java.util.List;
import java.util.Optional;

/// Adds a message for each event after the ledger has taken it. The relay acknowledges an entry
/// after both. If it delivers the entry again, both change nothing.
final class WebhookOutbox implements OutboxSink {
  private final OutboxSink ledger;
  private final PostgresDeliveries deliveries;

  WebhookOutbox(OutboxSink ledger, PostgresDeliveries deliveries) {
    this.ledger = ledger;
    this.deliveries = deliveries;
  }

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
