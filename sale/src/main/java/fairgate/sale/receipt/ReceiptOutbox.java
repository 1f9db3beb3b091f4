package fairgate.sale.receipt;

import fairgate.kernel.SessionId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.sale.receipt.ReceiptChannels.Chat;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Adds a receipt for each payment and refund of a buyer who may be reached, after the ledger has
/// taken it. The relay acknowledges an entry after both. If it delivers the entry again, both
/// change nothing.
record ReceiptOutbox(
    OutboxSink ledger, PostgresReceipts receipts, ReceiptChannels channels, Clock clock)
    implements OutboxSink {
  private static final int GUEST_LENGTH = 22;

  @Override
  public void apply(OutboxStream stream, List<OutboxEntry> entries) {
    ledger.apply(stream, entries);
    Optional<Chat> chat = channels.chat().filter(Chat::isOn);
    if (!channels.canMail() && chat.isEmpty()) {
      return;
    }
    List<Receipt> due =
        entries.stream()
            .map(entry -> Receipt.of(entry, clock.instant()))
            .flatMap(Optional::stream)
            .toList();
    if (!due.isEmpty()) {
      Set<SessionId> fromLine = chat.map(it -> it.from(sessions(due))).orElse(Set.of());
      receipts.add(
          due,
          receipt ->
              (channels.canMail() && isAccount(receipt.user()))
                  || (SessionId.isValid(receipt.session())
                      && fromLine.contains(new SessionId(receipt.session()))));
    }
  }

  private static List<SessionId> sessions(List<Receipt> due) {
    return due.stream()
        .map(Receipt::session)
        .filter(SessionId::isValid)
        .map(SessionId::new)
        .toList();
  }

  /// The ids of accounts are longer than all other references under which a sale counts buyers.
  private static boolean isAccount(String user) {
    return user.length() > GUEST_LENGTH;
  }
}
