package fairgate.ticket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.catalog.Catalog;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.run.BlockingWork;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.ticket.CheckInService.CheckIn;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Check-ins and transfers on a real PostgreSQL: each once, whatever comes at the same time.
@Tag("slow")
class CheckInServiceTest {
  private static final Sealed NAME = new Sealed("k1", "sealed");

  private final TestIds ids = new TestIds();
  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final ProductId product = books.sale(10).product();
  private final PostgresTickets tickets = new PostgresTickets(books.database());
  private final KeyRing ring = new KeyRing("k1", Map.of("k1", new byte[32]));
  private final TicketKeys keys = new TicketKeys(ring);
  private final OrderId order = ids.order(product);
  private final Catalog catalog = Catalog.open(books.database());

  @AfterEach
  void close() {
    catalog.close();
    books.close();
  }

  private CheckInService service() {
    TicketService service = new TicketService(tickets, keys, ring, catalog, ids, Clock.systemUTC());
    return new CheckInService(tickets, keys, service);
  }

  private List<Ticket> paid(int quantity) {
    var _ =
        books.query(
            """
            INSERT INTO orders (platform, order_id, product_id, quantity, amount, currency, status)
            VALUES ('fairgate', $1, $2, $3, 100, 'TWD', 'paid')
            """,
            order.value(),
            product.value(),
            quantity);
    tickets.issue(order, Stream.generate(() -> TicketId.random(ids)).limit(quantity).toList());
    return tickets.of(order);
  }

  private void status(String status) {
    var _ = books.query("UPDATE orders SET status = $1 WHERE order_id = $2", status, order.value());
  }

  private static Ticket.Use use(String scan) {
    return new Ticket.Use(Instant.now(), "gate", scan);
  }

  @Test
  void ofManyDevicesOneAdmitsATicketAndARepeatOfItsScanGetsTheSameAnswer() {
    Ticket ticket = paid(2).getFirst();
    CheckInService service = service();
    String code = keys.sign(product, ticket.id());
    ConcurrentLinkedQueue<CheckIn> results = new ConcurrentLinkedQueue<>();
    BlockingWork.forEach(
        "check-in",
        IntStream.range(0, 16).boxed().toList(),
        i -> results.add(service.checkIn(product, code, use("scan-000" + i))));
    assertThat(results).filteredOn(CheckIn.Admitted.class::isInstance).hasSize(1);
    assertThat(results).filteredOn(CheckIn.Used.class::isInstance).hasSize(15);
    Ticket.Use first = Objects.requireNonNull(tickets.find(ticket.id()).orElseThrow().use());
    assertThat(service.checkIn(product, code, use(first.scan())))
        .isInstanceOf(CheckIn.Admitted.class);
    assertThat(service.checkIn(product, ticket.id().toString(), use("scan-late")))
        .isInstanceOfSatisfying(
            CheckIn.Used.class,
            used -> {
              assertThat(used.at()).isEqualTo(first.at());
              assertThat(used.by()).isEqualTo("gate");
            });
    assertThat(tickets.counts(product).used()).isEqualTo(1);
  }

  @Test
  void ticketsOfRefundedOrdersOtherSalesAndStrangersAdmitNobody() {
    Ticket ticket = paid(1).getFirst();
    CheckInService service = service();
    ProductId other = books.sale(1).product();
    String code = keys.sign(product, ticket.id());
    assertThat(service.checkIn(other, code, use("scan-other")))
        .isInstanceOf(CheckIn.OtherSale.class);
    assertThat(service.checkIn(other, ticket.id().toString(), use("scan-other")))
        .isInstanceOf(CheckIn.OtherSale.class);
    assertThat(service.checkIn(product, keys.sign(other, ticket.id()), use("scan-sale")))
        .isInstanceOf(CheckIn.OtherSale.class);
    assertThat(service.checkIn(product, code.substring(1), use("scan-forged")))
        .isInstanceOf(CheckIn.Forged.class);
    assertThat(service.checkIn(product, keys.sign(product, TicketId.random(ids)), use("scan-none")))
        .isInstanceOf(CheckIn.Unknown.class);
    assertThat(service.checkIn(product, "hello", use("scan-text")))
        .isInstanceOf(CheckIn.Unknown.class);
    for (String status : List.of("refunded", "cancelled")) {
      status(status);
      assertThat(service.checkIn(product, code, use("scan-" + status)))
          .isInstanceOf(CheckIn.Refunded.class);
      assertThat(tickets.blocked(product, Instant.EPOCH, "", 10)).hasSize(1);
    }
    status("paid");
    assertThat(tickets.blocked(product, Instant.EPOCH, "", 10)).isEmpty();
    assertThat(service.checkIn(product, code, use("scan-paid")))
        .isInstanceOf(CheckIn.Admitted.class);
  }

  @Test
  void aTransferHappensOnceAndTheFormerCodeAdmitsNobody() {
    Ticket ticket = paid(1).getFirst();
    assertThat(tickets.takeOver(ticket.id(), 0, TicketId.random(ids), "eve")).isFalse();
    assertThat(tickets.offer(order, 1, NAME, 10, TicketId.random(ids))).isTrue();
    assertThat(tickets.offer(order, 1, NAME, 10, TicketId.random(ids))).isFalse();
    assertThat(tickets.withdraw(order, 1)).isTrue();
    assertThat(tickets.offer(order, 1, NAME, 10, TicketId.random(ids))).isTrue();
    assertThat(tickets.takeOver(ticket.id(), 1, TicketId.random(ids), "late")).isFalse();
    ConcurrentLinkedQueue<Boolean> taken = new ConcurrentLinkedQueue<>();
    BlockingWork.forEach(
        "take over",
        IntStream.range(0, 8).boxed().toList(),
        i -> taken.add(tickets.takeOver(ticket.id(), 2, TicketId.random(ids), "taker " + i)));
    assertThat(taken).containsOnlyOnce(true).hasSize(8);
    Ticket now = tickets.of(order).getFirst();
    assertThat(now.formerId()).isEqualTo(ticket.id());
    assertThat(tickets.offer(order, 1, NAME, 10, TicketId.random(ids))).isFalse();
    CheckInService service = service();
    assertThat(service.checkIn(product, keys.sign(product, ticket.id()), use("scan-former")))
        .isInstanceOf(CheckIn.Replaced.class);
    assertThat(service.checkIn(product, keys.sign(product, now.id()), use("scan-new")))
        .isInstanceOf(CheckIn.Admitted.class);
  }

  @Test
  void aTicketThatIsCheckedInIsNeitherOfferedNorTakenOver() {
    Ticket ticket = paid(1).getFirst();
    assertThat(tickets.offer(order, 1, NAME, 10, TicketId.random(ids))).isTrue();
    assertThat(tickets.checkIn(product, ticket.id(), use("scan-buyer"))).isTrue();
    assertThat(tickets.takeOver(ticket.id(), 1, TicketId.random(ids), "taker")).isFalse();
    assertThat(tickets.offer(order, 1, NAME, 10, TicketId.random(ids))).isFalse();
    assertThatThrownBy(() -> books.query("UPDATE tickets SET used_at = now(), used_scan = 'again'"))
        .hasMessageContaining("checked in");
  }

  @Test
  void aScanIsNeverLaterThanNowNorOlderThanAWeek() {
    List<Ticket> all = paid(2);
    Instant early = Instant.now().minus(Duration.ofDays(30));
    Instant late = Instant.now().plus(Duration.ofDays(30));
    assertThat(
            tickets.checkIn(product, all.get(0).id(), new Ticket.Use(early, "gate", "scan-early")))
        .isTrue();
    assertThat(tickets.checkIn(product, all.get(1).id(), new Ticket.Use(late, "gate", "scan-late")))
        .isTrue();
    assertThat(
            books.number(
                "SELECT count(*) FROM tickets WHERE used_at <= now() AND used_at >= now() - interval '8 days'"))
        .isEqualTo(2);
  }

  @Test
  void onlyPaidOrdersGetTicketsAndOneForEachUnit() {
    assertThat(paid(3)).extracting(Ticket::place).containsExactly(1, 2, 3);
    tickets.issue(order, Stream.generate(() -> TicketId.random(ids)).limit(9).toList());
    assertThat(tickets.of(order)).hasSize(3);
    OrderId unpaid = ids.order(product);
    tickets.issue(unpaid, List.of(TicketId.random(ids)));
    assertThat(tickets.of(unpaid)).isEmpty();
  }
}
