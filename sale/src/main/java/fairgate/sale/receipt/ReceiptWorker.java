package fairgate.sale.receipt;

import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.platform.text.PriceText;
import fairgate.sale.receipt.PostgresReceipts.End;
import fairgate.sale.receipt.ReceiptChannels.Contact;
import fairgate.sale.receipt.ReceiptChannels.Message;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands due receipts to the message services. Runs on all nodes; one node at a time works on a
/// receipt. An e-mail is stored in the transaction that ends its receipt, and LINE's inbox takes
/// each id once, so a receipt is handed over exactly once.
final class ReceiptWorker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReceiptWorker.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofMinutes(1);

  /// The pause when too many messages wait to be sent.
  private static final Duration FULL_PAUSE = Duration.ofSeconds(5);

  private static final Duration MAX_DELAY = Duration.ofDays(3);
  private static final int BATCH_SIZE = 64;
  private static final int PERIODS_BETWEEN_CLEANUPS = 600;

  private final PostgresReceipts receipts;
  private final OrderContacts contacts;
  private final ReceiptChannels channels;
  private final OrderLinks links;
  private final Function<OrderId, String> productNames;
  private final PeriodicJob job = new PeriodicJob("receipts", PERIOD, this::run);
  private final OutageLog outage =
      new OutageLog(LOG, "receipts that are due", Duration.ofSeconds(5));
  private final Runnable duePasses;
  private int periods;

  /// @param productNames the name of an order's product
  ReceiptWorker(
      PostgresReceipts receipts,
      OrderContacts contacts,
      ReceiptChannels channels,
      OrderLinks links,
      Function<OrderId, String> productNames) {
    this.receipts = receipts;
    this.contacts = contacts;
    this.channels = channels;
    this.links = links;
    this.productNames = productNames;
    this.duePasses = receipts.resting(this::handOverDue);
  }

  /// Starts to check every second. Called once.
  void start() {
    job.start();
  }

  private void run() {
    duePasses.run();
    if (periods++ % PERIODS_BETWEEN_CLEANUPS == 0) {
      int lost = receipts.giveUp(MAX_DELAY);
      if (lost > 0) {
        LOG.error("Giving up on receipts; receipts={} days={}", lost, MAX_DELAY.toDays());
      }
      receipts.forgetOld();
    }
  }

  private boolean handOverDue() {
    int sent = pass();
    boolean found = sent > 0;
    while (!job.isStopping() && sent == BATCH_SIZE) {
      LOG.debug("Sending another batch of receipts");
      sent = pass();
    }
    return found;
  }

  /// Hands over the due receipts and returns their number.
  int pass() {
    List<Receipt> batch = receipts.take(BATCH_SIZE, LEASE);
    BlockingWork.forEach("receipt", batch, this::guarded);
    return batch.size();
  }

  private void guarded(Receipt receipt) {
    try {
      handOver(receipt);
      outage.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("Receipt will be sent later; id={}", receipt.id(), e);
      outage.waits(e);
    } catch (RuntimeException e) {
      LOG.error("Could not send a receipt; id={}", receipt.id(), e);
    }
  }

  private void handOver(Receipt receipt) {
    Optional<Contact> found = contact(receipt);
    if (found.isEmpty()) {
      receipts.end(receipt, End.NO_CONTACT, "");
      return;
    }
    switch (found.get()) {
      case Contact.Email email -> {
        Message message = message(receipt, email);
        if (!channels.mail(
            email, message, db -> PostgresReceipts.end(db, receipt, End.SENT, "email"))) {
          receipts.postpone(receipt, FULL_PAUSE);
        }
      }
      case Contact.Line line -> {
        channels.chat().orElseThrow().send(line, message(receipt, line));
        receipts.end(receipt, End.SENT, "line");
      }
    }
  }

  /// The contact of the order. A LINE user is kept with the order, because the session is forgotten
  /// before a late refund.
  private Optional<Contact> contact(Receipt receipt) {
    Optional<Contact> kept = contacts.of(receipt.order());
    if (kept.isPresent()) {
      return kept;
    }
    Optional<Contact.Line> line =
        SessionId.isValid(receipt.session())
            ? channels.chat().flatMap(it -> it.ofSession(new SessionId(receipt.session())))
            : Optional.empty();
    line.ifPresent(found -> contacts.keep(receipt.order(), found));
    return line.<Contact>map(found -> found).or(() -> channels.ofAccount(receipt.user()));
  }

  private Message message(Receipt receipt, Contact contact) {
    return ReceiptText.of(
        receipt,
        productNames.apply(receipt.order()),
        channels.link(links.make(receipt.order())),
        contact.language());
  }

  @Override
  public void close() {
    job.close();
  }

  static final class ReceiptText {
    private ReceiptText() {}

    /// @param product the product's name
    /// @param link the page of the order
    static Message of(Receipt receipt, String product, String link, Language language) {
      String event = "message.receipt." + receipt.event().wireName();
      String number = receipt.order().number().toString();
      return new Message(
          receipt.messageId(),
          Messages.text(language, event + "_subject", number),
          Messages.text(
              language,
              receipt.deposit() == 0 ? event : event + "_deposit",
              number,
              product,
              receipt.quantity(),
              money(receipt, receipt.amount().minorUnits(), language),
              link,
              money(receipt, receipt.deposit(), language),
              money(receipt, receipt.amount().minorUnits() + receipt.deposit(), language)));
    }

    private static String money(Receipt receipt, long minorUnits, Language language) {
      return PriceText.of(language, minorUnits, receipt.amount().currency());
    }
  }
}
