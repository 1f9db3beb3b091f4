package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.WebhookSignature;
import fairgate.platform.observe.Metrics;
import fairgate.sale.ledger.LedgerWait;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import fairgate.sale.payment.WebhookPayments.GatewayClient;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Behavior;
import fairgate.testkit.FakeGateway.Paid;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Deadlines and refunds against a gateway over HTTP.
final class PaymentDeskTest {
  static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private static final WebhookSignature SIGNATURE =
      new WebhookSignature(List.of(SECRET), Clock.systemUTC());

  private final SaleWorld world = new SaleWorld(50);
  private final FakeGateway gateway = FakeGateway.start(SECRET, Clock.systemUTC());
  private final PaymentConfig config =
      new PaymentConfig(
          PaymentConfig.Kind.WEBHOOK,
          LateMoney.REHOLD,
          List.of(SECRET),
          "https://pay.example/{order_id}?a={amount}{currency}",
          gateway.closeUrl(),
          gateway.refundUrl(),
          Duration.ofSeconds(14),
          null);
  private final AtomicLong nanos = new AtomicLong();
  private final ProviderHealth health = new ProviderHealth(nanos::get);
  private final GatewayClient client = client(config.timeLimit());
  private final PaymentMetrics metrics = new PaymentMetrics(new Metrics());
  private final WebhookPayments provider = new WebhookPayments(config, client, SIGNATURE);
  private final RefundList list = new RefundList(world);
  private final Settlement settlement = settlement(provider);
  private final PaymentDeadlines deadlines = deadlines(settlement);
  private boolean asked = true;
  private final Refunds refunds =
      new Refunds(list, world.book, provider, metrics, _ -> asked, () -> 0, _ -> () -> {});

  private GatewayClient client(Duration limit) {
    return new GatewayClient(SIGNATURE, limit, health);
  }

  private Settlement settlement(PaymentProvider with) {
    return new Settlement(
        world.book, with, metrics, () -> List.of(world.product), (order, _) -> order, list);
  }

  private PaymentDeadlines deadlines(Settlement by) {
    return new PaymentDeadlines(world.book, by, health, () -> List.of(world.product));
  }

  @AfterEach
  void close() {
    client.close();
    gateway.close();
  }

  private int pass() {
    int taken = deadlines.pass();
    assertThat(deadlines.awaitIdle(Duration.ofSeconds(60))).isTrue();
    return taken;
  }

  private static Paid paid(String id, Order order) {
    return new Paid(id, order.amount().minorUnits(), order.amount().currency());
  }

  @Test
  void unpaidOrdersAreClosedAtTheProviderAndThenReleased() {
    List<Order> orders = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      orders.add(world.reserve(1, -1));
    }
    Order waiting = world.reserve(1, 60_000);
    assertThat(pass()).isEqualTo(40);
    assertThat(orders).allMatch(order -> world.status(order) == OrderStatus.EXPIRED);
    assertThat(world.status(waiting)).isEqualTo(OrderStatus.PENDING);
    assertThat(gateway.calls()).hasSize(40).allMatch(FakeGateway.ReceivedCall::signed);
    assertThat(world.free()).isEqualTo(49);
    world.assertConserved();
  }

  @Test
  void anOrderIsReleasedAfterItsDeadline() {
    Order order = world.reserve(1, 300);
    deadlines.start();
    try {
      Eventually.await(() -> !world.outbox().isEmpty());
    } finally {
      deadlines.close();
    }
    Map<String, String> released = world.outbox().getFirst();
    assertThat(released).containsEntry("kind", "released").containsEntry("status", "expired");
    assertThat(Long.parseLong(released.getOrDefault("at", "")) - order.payBy()).isNotNegative();
  }

  @Test
  void whatWasPaidMeanwhileIsConfirmed() {
    Order order = world.reserve(2, -1);
    assertThat(gateway.pay(order.id().value(), paid("p1", order))).isTrue();
    assertThat(pass()).isEqualTo(1);
    assertThat(world.order(order.id()).status()).isEqualTo(OrderStatus.PAID);
    assertThat(world.order(order.id()).payment()).isEqualTo("p1");
    assertThat(world.confirmed()).isEqualTo(2);
  }

  @Test
  void aWrongSumPaidMeanwhileGoesBackAndTheUnitsAreFree() {
    Order order = world.reserve(2, -1);
    assertThat(gateway.pay(order.id().value(), new Paid("p1", 5, "TWD"))).isTrue();
    assertThat(pass()).isEqualTo(1);
    assertThat(world.status(order)).isEqualTo(OrderStatus.EXPIRED);
    assertThat(world.free()).isEqualTo(50);
    assertThat(world.kinds()).containsExactly("refund_due", "released");
  }

  @Test
  void whileTheProviderDoesNotKnowTheUnitsStayHeld() {
    Order order = world.reserve(1, -1);
    for (Behavior mood : List.of(Behavior.IGNORANT, Behavior.BROKEN)) {
      gateway.mood(mood);
      assertThat(settlement.end(order.id(), ReleaseOutcome.Reason.EXPIRED))
          .isEqualTo(Settlement.Result.OPEN);
      assertThat(world.held()).isEqualTo(1);
    }
    // Closed there, but the answer was lost: asking again tells.
    gateway.mood(Behavior.FORGETFUL);
    assertThat(settlement.end(order.id(), ReleaseOutcome.Reason.EXPIRED))
        .isEqualTo(Settlement.Result.OPEN);
    assertThat(world.held()).isEqualTo(1);
    gateway.mood(Behavior.WELL);
    assertThat(settlement.end(order.id(), ReleaseOutcome.Reason.EXPIRED))
        .isEqualTo(Settlement.Result.RELEASED);
    assertThat(world.held()).isZero();
  }

  /// Nobody loses units for time in which nobody could pay.
  @Test
  void whileTheProviderFailsNoDeadlinePasses() {
    Order due = world.reserve(1, -1);
    gateway.mood(Behavior.BROKEN);
    assertThat(settlement.end(due.id(), ReleaseOutcome.Reason.EXPIRED))
        .isEqualTo(Settlement.Result.OPEN);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(pass()).as("the order that was due before").isEqualTo(1);
    assertThat(health.isFailing()).isTrue();
    assertThat(pass()).isZero();
    Order order = world.reserve(1, 50);
    Eventually.await(() -> SaleWorld.now() > order.payBy() + 100);
    assertThat(pass()).isZero();
    assertThat(world.order(order.id()).isStopped()).isTrue();

    gateway.mood(Behavior.WELL);
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    // Asks again about the order that was not answered for.
    assertThat(pass()).isZero();
    Eventually.await(() -> world.status(due) == OrderStatus.EXPIRED);
    nanos.addAndGet(Duration.ofSeconds(10).toNanos());
    assertThat(health.isFailing()).isFalse();
    SaleWorld.redis(
        "HSET", world.keys.sale(), "pay_stopped_until", Long.toString(SaleWorld.now() - 1));
    Eventually.await(
        () -> {
          deadlines.pass();
          return world.status(order) == OrderStatus.EXPIRED;
        });
    world.assertConserved();
  }

  @Test
  void aProviderThatSleepsIsGivenUpAndTheUnitsStayHeld() {
    Order order = world.reserve(1, -1);
    gateway.mood(Behavior.ASLEEP);
    try (GatewayClient hasty = client(Duration.ofMillis(200))) {
      Settlement with = settlement(new WebhookPayments(config, hasty, SIGNATURE));
      assertThat(with.end(order.id(), ReleaseOutcome.Reason.EXPIRED))
          .isEqualTo(Settlement.Result.OPEN);
    }
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    gateway.wake();
  }

  @Test
  void twoNodesDoNotAskForTheSameOrder() {
    for (int i = 0; i < 20; i++) {
      assertThat(world.reserve(1, -1)).isNotNull();
    }
    PaymentDeadlines other = deadlines(settlement);
    int here = deadlines.pass();
    int there = other.pass();
    assertThat(deadlines.awaitIdle(Duration.ofSeconds(60))).isTrue();
    assertThat(other.awaitIdle(Duration.ofSeconds(60))).isTrue();
    assertThat(here + there).isEqualTo(20);
    assertThat(gateway.calls()).hasSize(20);
  }

  @Test
  void lateMoneyWithoutStockGoesBackExactlyOnce() {
    Order order = world.reserve(2, -1);
    assertThat(pass()).isEqualTo(1);
    assertThat(SaleWorld.redis("DECRBY", world.keys.stock(), "50").number()).isZero();
    assertThat(settlement.book(order.id(), payment("p1", order)))
        .isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(settlement.book(order.id(), payment("p1", order)))
        .isEqualTo(new ConfirmOutcome.RefundDue());
    gateway.mood(Behavior.BROKEN);
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(gateway.refundCount()).isZero();
    gateway.mood(Behavior.FORGETFUL);
    assertThat(refunds.pass()).isEqualTo(1);
    gateway.mood(Behavior.WELL);
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(refunds.pass()).isZero();
    assertThat(gateway.refundCount()).isEqualTo(1);
    assertThat(list.states()).containsValue("done");
    assertThat(world.kinds()).containsExactly("released", "refund_due", "refunded");
  }

  @Test
  void anOperatorsRefundFreesTheUnitsOnceTheMoneyIsGone() {
    Order order = world.reserve(2, 60_000);
    assertThat(settlement.book(order.id(), payment("p1", order)))
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    LedgerWait ledger =
        new LedgerWait(
            SaleWorld.VERTX,
            facts -> Future.succeededFuture(Set.copyOf(facts)),
            Duration.ZERO,
            System::nanoTime);
    PaymentService service =
        new PaymentService(
            world.book,
            provider,
            settlement,
            ledger,
            SaleWorld.noDetails(),
            SaleWorld.noDisputes());
    assertThat(service.refund(order.id(), "goodwill")).isInstanceOf(PaymentOutcome.Done.class);
    assertThat(service.refund(order.id(), "goodwill")).isInstanceOf(PaymentOutcome.Done.class);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(world.status(order)).isEqualTo(OrderStatus.REFUNDED);
    assertThat(world.free()).isEqualTo(50);
    assertThat(gateway.refundCount()).isEqualTo(1);
    world.assertConserved();
  }

  /// On an account that is shared with another shop, its money could go back.
  @Test
  void noRefundGoesToAPaymentThatThisServerDidNotAskFor() {
    Order order = world.reserve(1, 60_000);
    assertThat(settlement.book(order.id(), payment("p1", order)))
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    assertThat(settlement.book(order.id(), payment("p2", order)))
        .isEqualTo(new ConfirmOutcome.RefundDue());
    asked = false;
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(gateway.refundCount()).isZero();
    assertThat(list.states()).containsValue("failed");
  }

  /// A relay may carry the entry while Redis, put back from an older copy, does not know of it.
  @Test
  void aRefundThatTheSaleDoesNotKnowYetIsNotOverWhenTheMoneyIsGone() {
    Order order = world.reserve(2, 60_000);
    assertThat(settlement.book(order.id(), payment("p1", order)))
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    assertThat(world.book.refundDue(order.id(), "operator").await())
        .isEqualTo(RefundDueScript.Outcome.ASKED);
    String key = world.keys.order(order.id());
    assertThat(SaleWorld.redis("HDEL", key, "refund:p1").number()).isEqualTo(1);
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(gateway.refundCount()).isEqualTo(1);
    assertThat(list.states()).isEmpty();
    assertThat(SaleWorld.redis("HSET", key, "refund:p1", "1").number()).isEqualTo(1);
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(refunds.pass()).isZero();
    assertThat(world.status(order)).isEqualTo(OrderStatus.REFUNDED);
    assertThat(gateway.refundCount()).isEqualTo(1);
    world.assertConserved();
  }

  /// What Redis noted may be lost before the ledger has it: the refund is over once the ledger
  /// knows.
  @Test
  void aRefundWhoseNoteIsLostIsNotedAgain() {
    Order order = world.reserve(2, 60_000);
    assertThat(settlement.book(order.id(), payment("p1", order)))
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    assertThat(world.book.refundDue(order.id(), "operator").await())
        .isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(refunds.pass()).isEqualTo(1);
    assertThat(world.status(order)).isEqualTo(OrderStatus.REFUNDED);
    assertThat(list.ended()).as("what the worker has ended by itself").isEmpty();
  }

  @Test
  void theBuyerIsSentToTheConfiguredAddress() {
    Order order = world.reserve(1, 60_000);
    assertThat(provider.start(order).paymentUrl())
        .isEqualTo("https://pay.example/" + order.id() + "?a=9999TWD");
  }
}
