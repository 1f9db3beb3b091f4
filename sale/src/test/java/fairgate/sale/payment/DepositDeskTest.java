package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.observe.Metrics;
import fairgate.sale.deposit.Deposit;
import fairgate.sale.deposit.Deposit.State;
import fairgate.sale.deposit.DepositRig;
import fairgate.sale.deposit.DepositService;
import fairgate.sale.ledger.History;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.sale.payment.OrderScripts.ReversedScript;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Deposits on a real Redis and PostgreSQL: each is paid once and ends once, wherever a node stops.
@Tag("slow")
final class DepositDeskTest {
  private static final Money AMOUNT = new Money(50, "TWD");
  private static final AtomicLong OWNERS = new AtomicLong();

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final fairgate.platform.events.OutboxStream sale = books.sale(20);
  private final ProductId product = sale.product();
  private final SaleKeys keys = SaleKeys.of(product, SaleKeys.Style.PLAIN);
  private final OrderBook book =
      new OrderBook(SaleWorld.REDIS, SaleKeys.Style.PLAIN, LateMoney.REHOLD);
  private final ProviderHealth health = new ProviderHealth(System::nanoTime);
  private final PaymentMetrics metrics = new PaymentMetrics(new Metrics());
  private final SandboxPayments provider =
      new SandboxPayments(
          SaleWorld.REDIS,
          new TestIds(),
          new WebhookSignature(List.of(), Clock.systemUTC()),
          health);
  private final PostgresRefunds refundList = new PostgresRefunds(books.database());
  private final Settlement settlement =
      new Settlement(book, provider, metrics, () -> List.of(product), (id, _) -> id, refundList);
  private final DepositRig rig =
      new DepositRig(
          books.database(),
          SaleWorld.REDIS,
          book,
          id -> {
            Settlement.Result _ = settlement.end(id, ReleaseOutcome.Reason.EXPIRED);
          },
          _ -> this.byDraw);
  private final Refunds refunds =
      new Refunds(
          refundList,
          book,
          provider,
          metrics,
          Refunds.ownOrders(books.database()),
          () -> 0,
          _ -> () -> {});
  private boolean byDraw;
  private final History history = new History(product);

  DepositDeskTest() {
    SaleWorld.redis("HSET", keys.sale(), "state", "open", "deposit", "1");
    SaleWorld.redis("DEL", keys.deposits());
  }

  @AfterEach
  void close() {
    books.close();
  }

  private Deposit open(Duration time, DepositEnd passed) {
    String owner = "owner" + OWNERS.incrementAndGet();
    OrderId id = new TestIds().order(product).asDeposit();
    return rig.open(id, List.of(owner), AMOUNT, passed, time);
  }

  private Deposit paid(DepositEnd passed) {
    Deposit deposit = open(Duration.ofMinutes(10), passed);
    Payment payment = provider.pay(deposit.id(), AMOUNT).orElseThrow();
    assertThat(settlement.book(deposit.id(), payment))
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    return deposit;
  }

  private State state(Deposit deposit) {
    return rig.find(deposit.id()).orElseThrow().state();
  }

  private String holder(Deposit deposit) {
    return SaleWorld.redis("HGET", keys.deposits(), deposit.id().value()).text();
  }

  private void tell() {
    books.ledger().sink().apply(sale, history.entries());
  }

  /// State, cause and amount of the refunds of a deposit.
  private List<String> refundsOf(Deposit deposit) {
    return refundList.of(deposit.id().value()).stream()
        .map(it -> it.state().word() + " " + it.cause() + " " + it.payment().amount().minorUnits())
        .toList();
  }

  @Test
  void aBuyerHasOneOpenDepositAndGetsAnotherAfterItsEnd() {
    OrderId id = new TestIds().order(product).asDeposit();
    Duration time = Duration.ofMinutes(10);
    List<String> owners = List.of("acc_7", "browser7");
    Deposit first = rig.open(id, owners, AMOUNT, DepositEnd.KEPT, time);
    OrderId next = new TestIds().order(product).asDeposit();
    assertThat(rig.open(next, owners, AMOUNT, DepositEnd.KEPT, time).id()).isEqualTo(first.id());
    assertThat(rig.openOf(product, List.of("browser7"))).isEmpty();
    assertThat(rig.lapse(id)).isTrue();
    assertThat(rig.open(next, owners, AMOUNT, DepositEnd.KEPT, time).id()).isEqualTo(next);
  }

  @Test
  void anAbandonedDepositLapsesAndGivesNoPlaceAndItsLateMoneyGoesBack() {
    Deposit deposit = open(Duration.ZERO, DepositEnd.KEPT);
    assertThat(rig.pass()).isTrue();
    assertThat(state(deposit)).isEqualTo(State.LAPSED);
    assertThat(SaleWorld.redis("EXISTS", keys.deposits()).number()).isZero();
    assertThat(rig.pass()).as("nothing is open").isFalse();
    Payment late = new Payment("late", AMOUNT);
    assertThat(settlement.book(deposit.id(), late)).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(settlement.book(deposit.id(), late)).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(state(deposit)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(deposit)).containsExactly("due late 50");
    assertThat(SaleWorld.redis("EXISTS", keys.deposits()).number()).isZero();
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(refundsOf(deposit)).containsExactly("done late 50");
    assertThat(refunds.pass()).isZero();
  }

  @Test
  void whileTheProviderDoesNotAnswerADepositStaysOpen() {
    Deposit deposit = open(Duration.ZERO, DepositEnd.KEPT);
    SaleWorld.redis("SET", "sandbox:away", "1");
    try {
      assertThat(settlement.end(deposit.id(), ReleaseOutcome.Reason.EXPIRED))
          .isEqualTo(Settlement.Result.OPEN);
    } finally {
      SaleWorld.redis("DEL", "sandbox:away");
    }
    assertThat(state(deposit)).isEqualTo(State.PENDING);
  }

  @Test
  void aDepositThatWasPaidSilentlyCountsAtItsDeadline() {
    Deposit deposit = open(Duration.ZERO, DepositEnd.KEPT);
    assertThat(provider.pay(deposit.id(), AMOUNT)).isPresent();
    assertThat(rig.pass()).isTrue();
    assertThat(state(deposit)).isEqualTo(State.PAID);
    assertThat(holder(deposit)).isEqualTo("free");
  }

  @Test
  void aSecondPaymentAndAWrongAmountGoBackAndChangeNothing() {
    Deposit deposit = paid(DepositEnd.KEPT);
    assertThat(settlement.book(deposit.id(), new Payment("second", AMOUNT)))
        .isEqualTo(new ConfirmOutcome.RefundDue());
    Deposit other = open(Duration.ofMinutes(10), DepositEnd.KEPT);
    assertThat(settlement.book(other.id(), new Payment("wrong", new Money(49, "TWD"))))
        .isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(state(deposit)).isEqualTo(State.PAID);
    assertThat(state(other)).isEqualTo(State.PENDING);
    assertThat(refundsOf(deposit)).containsExactly("due second 50");
    assertThat(refundsOf(other)).containsExactly("due amount 49");
  }

  @Test
  void aNodeThatStopsAfterThePaymentLeavesTheRestToTheNextPass() {
    Deposit deposit = open(Duration.ofMinutes(10), DepositEnd.KEPT);
    assertThat(rig.payWithoutRedis(deposit.id(), new Payment("p-stop", AMOUNT))).isEqualTo("PAID");
    assertThat(SaleWorld.redis("EXISTS", keys.deposits()).number()).isZero();
    assertThat(rig.pass()).isTrue();
    assertThat(holder(deposit)).isEqualTo("free");
  }

  @Test
  void aNodeThatStopsAfterTheEndInRedisLeavesTheRestToTheNextPass() {
    Deposit deposit = paid(DepositEnd.KEPT);
    SaleWorld.redis("HSET", keys.sale(), "state", "closed");
    assertThat(rig.endInRedis(deposit.id())).isEqualTo("RETURN");
    assertThat(state(deposit)).isEqualTo(State.PAID);
    assertThat(rig.pass()).isTrue();
    assertThat(rig.pass()).isFalse();
    assertThat(state(deposit)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(deposit)).containsExactly("due deposit 50");
  }

  @Test
  void theDepositOfABuyerWhoLetsTheTurnPassEndsAsAgreed() {
    for (DepositEnd end : DepositEnd.values()) {
      Deposit deposit = paid(end);
      SaleWorld.redis("HSET", keys.deposits(), deposit.id().value(), "PASSED");
      assertThat(rig.pass()).isTrue();
      assertThat(state(deposit).word()).isEqualTo(end.word());
      assertThat(refundsOf(deposit)).hasSize(end == DepositEnd.KEPT ? 0 : 1);
    }
  }

  @Test
  void aDepositEndsWithItsOrder() {
    Deposit bought = paid(DepositEnd.KEPT);
    History.Order paid = history.reserve(1, 1, bought.id().value());
    tell();
    assertThat(state(bought)).isEqualTo(State.PAID);
    history.pay(paid, "p1");
    Deposit unpaid = paid(DepositEnd.KEPT);
    history.expire(history.reserve(2, 1, unpaid.id().value()));
    Deposit cancelled = paid(DepositEnd.RETURNED);
    history.cancel(history.reserve(3, 1, cancelled.id().value()));
    tell();
    tell();
    assertThat(state(bought)).isEqualTo(State.COUNTED);
    assertThat(state(unpaid)).isEqualTo(State.KEPT);
    assertThat(state(cancelled)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(cancelled)).containsExactly("due deposit 50");
    history.refund(paid, "p1");
    tell();
    assertThat(state(bought)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(bought)).containsExactly("due deposit 50");
  }

  @Test
  void anOrderWhoseEventsComeInAnyOrderCountsItsDeposit() {
    Deposit deposit = paid(DepositEnd.KEPT);
    history.pay(history.reserve(1, 1, deposit.id().value()), "p1");
    books.ledger().sink().apply(sale, history.entries().reversed().subList(0, 1));
    assertThat(state(deposit)).isEqualTo(State.PAID);
    tell();
    assertThat(state(deposit)).isEqualTo(State.COUNTED);
  }

  @Test
  void postgresRefusesASecondEnd() {
    Deposit deposit = paid(DepositEnd.KEPT);
    assertThat(rig.giveBack(deposit.id())).isEqualTo(1);
    assertThat(rig.pass(deposit.id())).isZero();
    assertThatThrownBy(
            () ->
                books
                    .database()
                    .update(
                        "UPDATE deposits SET state = 'kept' WHERE deposit_id = $1",
                        deposit.id().value()))
        .hasMessageContaining("cannot become kept after returned");
  }

  @Test
  void moneyThatTheProviderReturnedByItselfIsNotReturnedAgain() {
    Deposit deposit = paid(DepositEnd.KEPT);
    Payment payment = paymentOf(deposit);
    assertThat(book.reversed(deposit.id(), payment, "dispute", "d1").await())
        .isEqualTo(ReversedScript.Outcome.REFUNDED);
    assertThat(state(deposit)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(deposit)).containsExactly("done dispute 50");
    assertThat(holder(deposit)).isEqualTo("GONE");

    Deposit kept = paid(DepositEnd.KEPT);
    SaleWorld.redis("HSET", keys.deposits(), kept.id().value(), "PASSED");
    assertThat(rig.pass()).isTrue();
    assertThat(book.reversed(kept.id(), paymentOf(kept), "provider", "").await())
        .isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(state(kept)).as("given back out of goodwill").isEqualTo(State.KEPT);
    assertThat(refundsOf(kept)).containsExactly("done provider 50");
  }

  private Payment paymentOf(Deposit deposit) {
    return new Payment(
        Objects.requireNonNull(rig.find(deposit.id()).orElseThrow().payment()), AMOUNT);
  }

  @Test
  void aNodeThatStopsWhileTheProviderTakesADepositBackLeavesNoneToJoinWith() {
    Deposit deposit = paid(DepositEnd.KEPT);
    Payment payment = paymentOf(deposit);
    assertThatThrownBy(() -> rig.stopInReversal(deposit.id(), payment))
        .hasMessageContaining("the node stops");
    assertThat(holder(deposit)).as("no join can use it").isEqualTo("GONE");
    SaleWorld.redis("HSET", keys.sale(), "state", "closed");
    assertThat(rig.pass()).isTrue();
    rig.giveBack(deposit);
    assertThat(state(deposit)).as("the provider tells it again").isEqualTo(State.PAID);
    assertThat(refundsOf(deposit)).isEmpty();
    assertThat(book.reversed(deposit.id(), payment, "dispute", "d1").await())
        .isEqualTo(ReversedScript.Outcome.REFUNDED);
    assertThat(state(deposit)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(deposit)).containsExactly("done dispute 50");
    assertThat(book.reversed(deposit.id(), payment, "dispute", "d1").await())
        .isEqualTo(ReversedScript.Outcome.ALREADY);
  }

  @Test
  void aBuyerGetsADepositBackThatNoPlaceHas() {
    Deposit deposit = paid(DepositEnd.KEPT);
    rig.giveBack(deposit);
    rig.giveBack(deposit);
    assertThat(state(deposit)).isEqualTo(State.RETURNED);
    assertThat(holder(deposit)).isEqualTo("RETURN");
    assertThat(refundsOf(deposit)).containsExactly("due deposit 50");

    Deposit bound = paid(DepositEnd.KEPT);
    String session = "00000000-0000-0000-0000-000000000001";
    SaleWorld.redis("HSET", keys.session(new SessionId(session)), "queue_status", "waiting");
    SaleWorld.redis("HSET", keys.deposits(), bound.id().value(), session);
    rig.giveBack(bound);
    assertThat(state(bound)).as("a place has it").isEqualTo(State.PAID);
    SaleWorld.redis("HSET", keys.deposits(), bound.id().value(), "PASSED");
    rig.giveBack(bound);
    assertThat(state(bound)).as("its turn has passed").isEqualTo(State.KEPT);
  }

  @Test
  void aDepositOfADrawsEntryIsNotGivenBack() {
    draw("open");
    Deposit entered = paid(DepositEnd.KEPT);
    enter(entered, 1);
    rig.giveBack(entered);
    assertThat(state(entered)).isEqualTo(State.PAID);
    assertThat(holder(entered)).isEqualTo("free");
    Deposit without = paid(DepositEnd.KEPT);
    rig.giveBack(without);
    assertThat(state(without)).isEqualTo(State.RETURNED);
  }

  private void draw(String state) {
    byDraw = true;
    int _ =
        books
            .database()
            .update(
                """
                INSERT INTO draws (id, product_id, rules, chain, state, round, created_by)
                VALUES ('d' || $1, $1, '{}', '', $2, 1, 'test')
                """,
                product.value(),
                state);
  }

  /// An entry of the draw that the deposit stands for.
  private void enter(Deposit deposit, int index) {
    int _ =
        books
            .database()
            .update(
                """
                WITH entry AS (INSERT INTO draw_entries (draw, index, session, uniq, leaf, quantity,
                  device, entered_at)
                VALUES ('d' || $1, $2, gen_random_uuid(), decode(lpad(to_hex($2::int), 32, '0'), 'hex'),
                  decode(lpad(to_hex($2::int), 64, '0'), 'hex'), 1, 'device', now())
                RETURNING session)
                UPDATE deposits SET entry = session FROM entry WHERE deposit_id = $3
                """,
                product.value(),
                (long) index,
                deposit.id().value());
  }

  @Test
  void theDepositsOfADrawGoBackWhenTheirEntriesCanNoLongerWin() {
    draw("open");
    Deposit withoutEntry = paid(DepositEnd.KEPT);
    Deposit withdrawn = paid(DepositEnd.KEPT);
    Deposit takesPart = paid(DepositEnd.KEPT);
    enter(withdrawn, 1);
    enter(takesPart, 2);
    int _ =
        books
            .database()
            .update(
                "INSERT INTO draw_absences (draw, index, kind, reason, actor)"
                    + " VALUES ('d' || $1, 1, 'withdrawn', 'request', 'entrant')",
                product.value());
    assertThat(rig.pass()).isTrue();
    assertThat(state(withdrawn)).isEqualTo(State.RETURNED);
    assertThat(state(withoutEntry)).as("may still enter").isEqualTo(State.PAID);
    int _ =
        books
            .database()
            .update(
                "UPDATE draws SET state = 'aborted', abort_reason = 'test' WHERE product_id = $1",
                product.value());
    assertThat(rig.pass()).isTrue();
    assertThat(state(withoutEntry)).isEqualTo(State.RETURNED);
    assertThat(state(takesPart)).isEqualTo(State.RETURNED);
    assertThat(refundsOf(takesPart)).containsExactly("due deposit 50");
  }

  @Test
  void allLosersGetTheirDepositsBackOnce() {
    int losers = 1_200;
    assertThat(
            books
                .database()
                .update(
                    """
                    INSERT INTO deposits (deposit_id, product_id, owner, amount, currency, passed,
                      state, payment_id, pay_by, next_try_at)
                    SELECT 'order_' || $1 || '_u' || lpad(i::text, 25, '0'), $1, 'o' || i, 50,
                      'TWD', 'kept', 'paid', 'pay' || i, now(), now()
                    FROM generate_series(1, $2::int) AS i
                    """,
                    product.value(),
                    losers))
        .isEqualTo(losers);
    assertThat(rig.pass()).isTrue();
    SaleWorld.redis("HSET", keys.sale(), "state", "closed");
    assertThat(rig.pass()).isTrue();
    assertThat(rig.pass()).isFalse();
    assertThat(rig.sums(product))
        .containsOnlyKeys(State.RETURNED)
        .containsValue(new DepositService.Sum(losers, 50L * losers, 0, 0));
    assertThat(refunds.pass()).isEqualTo(16);
    assertThat(rig.sums(product))
        .containsValue(new DepositService.Sum(losers, 50L * losers, 16, 16 * 50L));
  }
}
