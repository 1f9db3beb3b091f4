package fairgate.sale.receipt;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.receipt.Receipt.Event;
import java.time.Clock;
import java.util.function.Function;

/// The wiring of receipts. Nothing is sent before `start`.
public final class ReceiptFeature implements AutoCloseable {
  private static final String SEAL_PURPOSE = "order-contact-seal";

  private final PostgresReceipts receipts;
  private final OrderContacts contacts;
  private final ReceiptChannels channels;
  private final OrderLinks links;
  private final ReceiptWorker worker;
  private final Clock clock;
  private final boolean isOn;

  private ReceiptFeature(
      ReceiptChannels channels, Function<OrderId, String> productNames, Dependencies parts) {
    this.receipts = new PostgresReceipts(parts.postgres(), parts.isOn());
    this.contacts =
        new OrderContacts(
            receipts, new KeySeal(parts.keys(), parts.ids(), SEAL_PURPOSE), channels, parts.isOn());
    this.channels = channels;
    this.links = new OrderLinks(receipts, parts.keys(), parts.clock());
    this.worker = new ReceiptWorker(receipts, contacts, channels, links, productNames);
    this.clock = parts.clock();
    this.isOn = parts.isOn();
  }

  /// The dependencies of receipts.
  ///
  /// @param isOn false sends no receipts for new events
  public record Dependencies(
      PostgresDatabase postgres, KeyRing keys, Ids ids, Clock clock, boolean isOn) {}

  /// Connects receipts with the channels on which they are sent.
  ///
  /// @param productNames the name of an order's product
  public static ReceiptFeature wire(
      ReceiptChannels channels, Function<OrderId, String> productNames, Dependencies parts) {
    return new ReceiptFeature(channels, productNames, parts);
  }

  /// Wraps the ledger's sink so that each payment and refund that it has taken becomes a receipt,
  /// if the buyer may be reached and receipts are on.
  public OutboxSink sink(OutboxSink ledger) {
    return isOn ? new ReceiptOutbox(ledger, receipts, channels, clock) : ledger;
  }

  /// Adds the message that units are reserved for a person of a waiting list, within a transaction
  /// and once for each order. It is sent even if receipts are off.
  ///
  /// @param session with which the person registered
  /// @param user the account, or another reference under which the sale counts the person
  public void offer(Db db, OrderId order, String session, String user, int quantity, Money amount) {
    PostgresReceipts.add(
        db,
        new Receipt(
            order.value() + ":offered",
            order,
            Event.OFFERED,
            session,
            user,
            quantity,
            amount,
            0,
            1));
  }

  public Receipts receipts() {
    return receipts;
  }

  public OrderContacts contacts() {
    return contacts;
  }

  public OrderLinks links() {
    return links;
  }

  /// Starts sending. Called once.
  public void start() {
    worker.start();
  }

  @Override
  public void close() {
    worker.close();
  }
}
