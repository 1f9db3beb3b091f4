package fairgate.sale.receipt;

import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// Adds a receipt for each payment and refund after the ledger has taken it. The relay acknowledges
/// an entry after both. If it delivers the entry again, both change nothing.
final class ReceiptOutbox implements OutboxSink {
  private final OutboxSink ledger;
  private final PostgresReceipts receipts;
  private final Clock clock;

  ReceiptOutbox(OutboxSink ledger, PostgresReceipts receipts, Clock clock) {
    this.ledger = ledger;
    this.receipts = receipts;
    this.clock = clock;
  }

  @Override
  public void apply(OutboxStream stream, List<OutboxEntry> entries) {
    ledger.apply(stream, entries);
    List<Receipt> due =
        entries.stream()
            .map(entry -> Receipt.of(entry, clock.instant()))
            .flatMap(Optional::stream)
            .toList();
    if (!due.isEmpty()) {
      receipts.add(due);
    }
  }
}
