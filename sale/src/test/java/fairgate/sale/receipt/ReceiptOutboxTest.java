package fairgate.sale.receipt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.KeySeal;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.text.Language;
import fairgate.platform.text.PriceText;
import fairgate.sale.ledger.History;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.sale.receipt.PostgresReceipts.End;
import fairgate.sale.receipt.ReceiptWorker.ReceiptText;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ReceiptOutboxTest {
  private static final Instant NOW = Instant.parse("2026-09-21T14:13:20Z");
  private static final String ORDER = "order_7_" + "a".repeat(26);
  private static final OutboxStream STREAM = new OutboxStream(new ProductId("7"), "event:7:outbox");
  private static final Duration LEASE = Duration.ofMinutes(1);

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final PostgresReceipts receipts = new PostgresReceipts(books.database(), true);
  private final Channels channels = new Channels();
  private final ReceiptOutbox outbox = outbox((_, _) -> {});

  private ReceiptOutbox outbox(OutboxSink ledger) {
    return new ReceiptOutbox(ledger, receipts, channels, Clock.fixed(NOW, ZoneOffset.UTC));
  }

  /// All buyers came through LINE, until `line` is set to false.
  private static final class Channels implements ReceiptChannels {
    private boolean line = true;

    @Override
    public boolean canMail() {
      return true;
    }

    @Override
    public boolean canLine() {
      return line;
    }

    @Override
    public Set<SessionId> fromLine(List<SessionId> sessions) {
      return Set.copyOf(sessions);
    }

    @Override
    public Optional<Contact.Line> ofSession(SessionId session) {
      return Optional.empty();
    }

    @Override
    public Optional<Contact.Email> ofAccount(String account) {
      return Optional.empty();
    }

    @Override
    public String link(String link) {
      return "";
    }

    @Override
    public boolean mail(Contact.Email to, Message message, Claim claim) {
      return false;
    }

    @Override
    public void line(Contact.Line to, Message message) {}
  }

  @AfterEach
  void close() {
    books.close();
  }

  private static OutboxEntry entry(String kind, String... more) {
    Map<String, String> fields =
        new HashMap<>(
            Map.of(
                "kind", kind,
                "order", ORDER,
                "session", "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11",
                "user", "user-1",
                "quantity", "2",
                "amount", "9999",
                "currency", "TWD",
                "status", "pending",
                "at", Long.toString(NOW.toEpochMilli())));
    for (int i = 0; i < more.length; i += 2) {
      fields.put(more[i], more[i + 1]);
    }
    return new OutboxEntry("1-0", fields);
  }

  private static OutboxEntry refund(String part, String amount) {
    return entry(
        "refunded",
        "payment",
        "pay_1",
        "refund_part",
        part,
        "refund_amount",
        amount,
        "refund_currency",
        "TWD");
  }

  private List<Receipt> taken() {
    return receipts.take(10, LEASE);
  }

  @Test
  void aReceiptTellsOfTheDepositThatWasTakenOff() {
    OutboxStream sale = books.sale(20);
    String deposit = "order_" + sale.product().value() + "_u" + "1".repeat(25);
    int _ =
        books
            .database()
            .update(
                """
                INSERT INTO deposits (deposit_id, product_id, owner, amount, currency, passed, state,
                  payment_id, pay_by, next_try_at)
                VALUES ($1, $2, 'o', 2000, 'TWD', 'kept', 'paid', 'p0', now(), now())
                """,
                deposit,
                sale.product().value());
    History history = new History(sale.product());
    history.pay(history.reserve(1, 1, deposit), "p1");
    outbox(books.ledger().sink()).apply(sale, history.entries());
    Receipt paid = taken().getFirst();
    assertThat(paid.deposit()).isEqualTo(2000);
    long rest = paid.amount().minorUnits();
    assertThat(ReceiptText.of(paid, "Ticket", "link", Language.EN).text())
        .contains("Price: " + price(rest + 2000), "Deposit: NT$20", "Rest, paid: " + price(rest));
    Receipt refunded =
        new Receipt(
            "r", paid.order(), Receipt.Event.REFUNDED, "", "", 1, paid.amount(), paid.deposit(), 1);
    assertThat(ReceiptText.of(refunded, "Ticket", "link", Language.EN).text())
        .contains("Deposit, which is returned as well: NT$20");
  }

  private static String price(long minorUnits) {
    return PriceText.of(Language.EN, minorUnits, "TWD");
  }

  @Test
  void aPaymentAndEachRefundMakeOneReceiptHoweverOftenTheyCome() {
    List<OutboxEntry> entries =
        List.of(
            entry("reserved"),
            entry("confirmed", "status", "paid"),
            entry("refund_due"),
            refund("seat", "100"),
            refund("", "9899"),
            entry("released", "status", "expired"));
    outbox.apply(STREAM, entries);
    outbox.apply(STREAM, entries);
    assertThat(taken())
        .extracting(receipt -> receipt.event() + " " + receipt.amount().minorUnits())
        .containsExactlyInAnyOrder("PAID 9999", "REFUNDED 100", "REFUNDED 9899");
    assertThat(taken()).as("under a lease").isEmpty();
  }

  @Test
  void anOrderWithoutPaymentIsPaidAtOnce() {
    outbox.apply(STREAM, List.of(entry("reserved", "status", "paid", "amount", "0")));
    assertThat(taken()).singleElement().extracting(Receipt::id).isEqualTo(ORDER + ":paid");
  }

  @Test
  void eventsOfARestoredOutboxThatAreOldSendNothing() {
    String old = Long.toString(NOW.minus(Duration.ofDays(8)).toEpochMilli());
    outbox.apply(STREAM, List.of(entry("confirmed", "status", "paid", "at", old)));
    assertThat(taken()).isEmpty();
  }

  @Test
  void nothingIsToldThatTheLedgerHasNot() {
    ReceiptOutbox failing =
        outbox(
            (_, _) -> {
              throw new ServiceUnavailable("away", Duration.ofSeconds(1));
            });
    assertThatThrownBy(() -> failing.apply(STREAM, List.of(entry("confirmed"))))
        .isInstanceOf(ServiceUnavailable.class);
    assertThat(taken()).isEmpty();
  }

  @Test
  void aBuyerWhoCannotBeReachedHasNoRowUntilThereIsAContact() {
    channels.line = false;
    OutboxEntry paid = entry("confirmed", "status", "paid");
    outbox.apply(STREAM, List.of(paid));
    assertThat(taken()).as("a guest without an address").isEmpty();
    outbox.apply(STREAM, List.of(entry("confirmed", "user", "acc_" + "b".repeat(22))));
    assertThat(taken()).as("an account").hasSize(1);
    String other = "order_7_" + "c".repeat(26);
    receipts.keep(new OrderId(other), contact());
    outbox.apply(STREAM, List.of(entry("confirmed", "order", other)));
    assertThat(taken()).as("a guest who gave an address before").hasSize(1);
  }

  @Test
  void anAddressGivenLaterGetsTheReceiptThatTheLedgerKnows() {
    channels.line = false;
    OrderId order = new OrderId(ORDER);
    assertThat(receipts.give(order, contact(), 3)).isTrue();
    assertThat(taken()).as("not paid yet").isEmpty();
    var _ =
        books.query(
            """
            INSERT INTO orders (platform, product_id, order_id, session_id, user_id, quantity, amount,
              currency, status)
            VALUES ('fairgate', '7', $1, 's', 'user-1', 2, 9999, 'TWD', 'paid')
            """,
            ORDER);
    var _ =
        books.query(
            """
            INSERT INTO order_events (product_id, epoch, seq, kind, order_id, status, version, quantity,
              amount, at)
            VALUES ('7', 1, 1, 'reserved', $1, 'pending', 1, 2, 9999, now()),
              ('7', 1, 2, 'confirmed', $1, 'paid', 2, 2, 9999, now())
            """,
            ORDER);
    assertThat(receipts.of(order))
        .singleElement()
        .matches(status -> status.event().equals("paid") && status.state().equals("no_contact"));
    assertThat(receipts.give(order, contact(), 3)).isTrue();
    assertThat(taken())
        .singleElement()
        .matches(receipt -> receipt.id().equals(ORDER + ":paid") && receipt.round() == 1)
        .matches(receipt -> receipt.amount().minorUnits() == 9_999 && receipt.quantity() == 2);
    outbox.apply(STREAM, List.of(entry("confirmed", "status", "paid")));
    assertThat(receipts.of(order)).as("told once").hasSize(1);
  }

  private static PostgresReceipts.SealedContact contact() {
    return new PostgresReceipts.SealedContact("email", new KeySeal.Sealed("k", "sealed"));
  }

  @Test
  void aReceiptEndsOnceEvenIfTwoNodesHaveTakenIt() {
    outbox.apply(STREAM, List.of(entry("confirmed", "status", "paid")));
    Receipt receipt = taken().getFirst();
    ConcurrentLinkedQueue<Boolean> ended = new ConcurrentLinkedQueue<>();
    BlockingWork.forEach(
        "end",
        IntStream.range(0, 8).boxed().toList(),
        _ ->
            ended.add(
                books.database().tx(db -> PostgresReceipts.end(db, receipt, End.SENT, "email"))));
    assertThat(ended).containsOnlyOnce(true).hasSize(8);
    assertThat(receipts.of(receipt.order()))
        .singleElement()
        .matches(status -> status.state().equals("sent") && "email".equals(status.channel()));
  }

  @Test
  void aReceiptIsSentTenTimesAtMostAndEachTimeAsAnotherMessage() {
    outbox.apply(STREAM, List.of(entry("confirmed", "status", "paid")));
    Receipt first = taken().getFirst();
    assertThat(receipts.resend(first.order())).as("it waits to be sent anyway").isTrue();
    receipts.end(first, End.SENT, "email");
    assertThat(receipts.resend(first.order())).isTrue();
    Receipt second = taken().getFirst();
    assertThat(second.messageId()).isNotEqualTo(first.messageId());
    receipts.end(first, End.SENT, "email");
    assertThat(receipts.of(first.order()).getFirst().state())
        .as("an older round does not end a newer one")
        .isEqualTo("due");
    receipts.end(second, End.SENT, "email");
    for (int round = 3; round <= 10; round++) {
      assertThat(receipts.resend(first.order())).isTrue();
      receipts.end(taken().getFirst(), End.SENT, "email");
    }
    assertThat(receipts.resend(first.order())).isFalse();
  }
}
