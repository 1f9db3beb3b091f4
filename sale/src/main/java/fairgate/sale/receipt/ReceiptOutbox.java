package fairgate.sale.receipt;

import fairgate.kernel.SessionId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Adds a receipt for each payment and refund of a buyer who may be reached, after the ledger has
/// taken it. The relay acknowledges an entry after both. If it delivers the entry again, both
/// change nothing.
final class ReceiptOutbox implements OutboxSink {
  private static final int GUEST_LENGTH = 22;

  private final OutboxSink ledger;
  private final PostgresReceipts receipts;
  private final ReceiptChannels channels;
  private final Clock clock;

  ReceiptOutbox(
      OutboxSink ledger, PostgresReceipts receipts, ReceiptChannels channels, Clock clock) {
    this.ledger = ledger;
    this.receipts = receipts;
    this.channels = channels;
    this.clock = clock;
  }

  @Override
  public void apply(OutboxStream stream, List<OutboxEntry> entries) {
    ledger.apply(stream, entries);
    if (!channels.canMail() && !channels.canLine()) {
      return;
    }
    List<Receipt> due =
        entries.stream()
            .map(entry -> Receipt.of(entry, clock.instant()))
            .flatMap(Optional::stream)
            .toList();
    if (!due.isEmpty()) {
      Set<SessionId> fromLine = fromLine(due);
      receipts.add(
          due,
          receipt ->
              (channels.canMail() && isAccount(receipt.user()))
                  || (SessionId.isValid(receipt.session())
                      && fromLine.contains(new SessionId(receipt.session()))));
    }
  }

  private Set<SessionId> fromLine(List<Receipt> due) {
    return channels.canLine()
        ? channels.fromLine(
            due.stream()
                .map(Receipt::session)
                .filter(SessionId::isValid)
                .map(SessionId::new)
                .toList())
        : Set.of();
  }

  /// The ids of accounts are longer than all other references under which a sale counts buyers.
  private static boolean isAccount(String user) {
    return user.length() > GUEST_LENGTH;
  }
}
