package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.PRICE;
import static fairgate.sale.payment.SaleWorld.payment;
import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.observe.Metrics;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import fairgate.sale.payment.RefundDueScript.PartReply;
import fairgate.sale.payment.WebhookPayments.GatewayClient;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Behavior;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Refunds of parts: the scripts on a real Redis, and the worker against a gateway over HTTP.
final class PartialRefundTest {
  private final SaleWorld world = new SaleWorld(50);
  private final FakeGateway gateway = FakeGateway.start(PaymentDeskTest.SECRET, Clock.systemUTC());
  private final List<GatewayClient> clients = new ArrayList<>();

  @AfterEach
  void close() {
    clients.forEach(GatewayClient::close);
    gateway.close();
  }

  private Order paid(int quantity) {
    Order order = world.reserve(quantity, 60_000);
    assertThat(world.book.confirm(order.id(), payment("p1", order)).await())
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    return order;
  }

  private PartReply part(Order order, String name, long amount) {
    return world.book.refundPart(order.id(), "operator", name, amount).await();
  }

  private static PartReply reply(RefundDueScript.Outcome outcome, long refundable) {
    return new PartReply(outcome, refundable);
  }

  private Refunds worker(Duration timeLimit) {
    PaymentConfig config =
        new PaymentConfig(
            PaymentConfig.Kind.WEBHOOK,
            LateMoney.REHOLD,
            List.of(PaymentDeskTest.SECRET),
            null,
            gateway.closeUrl(),
            gateway.refundUrl(),
            timeLimit,
            null);
    WebhookSignature signature =
        new WebhookSignature(List.of(PaymentDeskTest.SECRET), Clock.systemUTC());
    GatewayClient client =
        new GatewayClient(signature, timeLimit, new ProviderHealth(System::nanoTime));
    clients.add(client);
    return new Refunds(
        new RefundList(world),
        world.book,
        new WebhookPayments(config, client, signature),
        new PaymentMetrics(new Metrics()),
        _ -> true,
        () -> 0,
        _ -> () -> {});
  }

  @Test
  void aPartGoesBackOnceAndTheOrderStaysPaid() {
    Order order = paid(2);
    assertThat(part(order, "a", 500))
        .isEqualTo(reply(RefundDueScript.Outcome.ASKED, 2 * PRICE - 500));
    assertThat(part(order, "a", 500))
        .isEqualTo(reply(RefundDueScript.Outcome.ALREADY, 2 * PRICE - 500));
    assertThat(part(order, "a", 501).outcome()).isEqualTo(RefundDueScript.Outcome.CONFLICT);
    assertThat(world.outbox().getLast())
        .containsEntry("kind", "refund_due")
        .containsEntry("payment", "p1")
        .containsEntry("refund_amount", "500")
        .containsEntry("refund_part", "a");
    Payment back = payment("p1", 500);
    assertThat(world.book.refunded(order.id().value(), back, "a").await())
        .isEqualTo(RefundedScript.Outcome.MARKED);
    assertThat(world.book.refunded(order.id().value(), back, "a").await())
        .isEqualTo(RefundedScript.Outcome.ALREADY);
    assertThat(world.book.refunded(order.id().value(), back, "b").await())
        .isEqualTo(RefundedScript.Outcome.NOT_DUE);
    assertThat(part(order, "a", 500).outcome()).isEqualTo(RefundDueScript.Outcome.ALREADY);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    assertThat(world.confirmed()).isEqualTo(2);
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due", "refunded");
    world.assertConserved();
  }

  @Test
  void partsAreNeverMoreThanWasPaid() {
    Order order = paid(1);
    assertThat(part(order, "a", 9_000)).isEqualTo(reply(RefundDueScript.Outcome.ASKED, 999));
    assertThat(part(order, "b", 1_000)).isEqualTo(reply(RefundDueScript.Outcome.TOO_MUCH, 999));
    assertThat(part(order, "b", 999)).isEqualTo(reply(RefundDueScript.Outcome.ASKED, 0));
    assertThat(part(order, "c", 1)).isEqualTo(reply(RefundDueScript.Outcome.TOO_MUCH, 0));
  }

  @Test
  void aFullRefundReturnsTheRestAndEndsTheOrder() {
    Order order = paid(1);
    assertThat(part(order, "a", 4_000).outcome()).isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(world.book.refundDue(order.id(), "operator").await())
        .isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(world.outbox().getLast()).containsEntry("refund_amount", "5999");
    assertThat(part(order, "b", 1)).isEqualTo(reply(RefundDueScript.Outcome.TOO_MUCH, 0));
    assertThat(world.book.refunded(order.id(), payment("p1", 5_999)).await())
        .isEqualTo(RefundedScript.Outcome.REFUNDED);
    assertThat(world.status(order)).isEqualTo(OrderStatus.REFUNDED);
    // The part is still with the provider and is marked when it is back.
    assertThat(world.book.refunded(order.id().value(), payment("p1", 4_000), "a").await())
        .isEqualTo(RefundedScript.Outcome.MARKED);
    assertThat(world.free()).isEqualTo(50);
    world.assertConserved();
  }

  @Test
  void anOrderWhoseMoneyWentBackInPartsIsEndedWithoutMoney() {
    Order order = paid(1);
    assertThat(part(order, "a", PRICE).outcome()).isEqualTo(RefundDueScript.Outcome.ASKED);
    // As after a crash between the two scripts: the mark is set, and the request is repeated.
    redis("HSETNX", world.keys.order(order.id()), "refund:p1", "1");
    for (int i = 0; i < 2; i++) {
      var _ = world.book.refundDue(order.id(), "operator").await();
    }
    assertThat(world.status(order)).isEqualTo(OrderStatus.REFUNDED);
    assertThat(world.free()).isEqualTo(50);
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due", "refunded");
    assertThat(world.outbox().getLast()).containsEntry("refund_amount", "0");
    world.assertConserved();
  }

  @Test
  void anUnpaidAFreeAndAnUnknownOrderHaveNoParts() {
    Order order = world.reserve(1, 60_000);
    assertThat(part(order, "a", 1)).isEqualTo(reply(RefundDueScript.Outcome.UNPAID, 0));
    redis("HSET", world.keys.order(order.id()), "status", "paid");
    assertThat(part(order, "a", 1)).isEqualTo(reply(RefundDueScript.Outcome.TOO_MUCH, 0));
    OrderId nobody = OrderId.of(world.product, "z".repeat(26));
    assertThat(world.book.refundPart(nobody, "operator", "a", 1).await().outcome())
        .isEqualTo(RefundDueScript.Outcome.UNKNOWN);
    assertThat(world.outbox()).isEmpty();
  }

  @Test
  void simultaneousPartsNeverExceedThePayment() {
    Random chance = new Random(21);
    for (int run = 0; run < 20; run++) {
      Order order = paid(1);
      List<Future<PartReply>> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String name = "part" + chance.nextInt(12);
        long amount = 500 + 500L * chance.nextInt(6);
        all.add(world.book.refundPart(order.id(), "operator", name, amount));
      }
      for (Future<PartReply> each : all) {
        var _ = each.await();
      }
      var _ = world.book.refundDue(order.id(), "operator").await();
      long asked =
          world.outbox().stream()
              .filter(entry -> order.id().value().equals(entry.get("order")))
              .filter(entry -> "refund_due".equals(entry.get("kind")))
              .mapToLong(entry -> Long.parseLong(entry.getOrDefault("refund_amount", "")))
              .sum();
      assertThat(asked).as("run %d", run).isLessThanOrEqualTo(PRICE);
    }
  }

  @Test
  void aProviderThatDoesTheRefundAndLosesTheReplyIsAskedAgainWithTheSameKey() {
    Order order = paid(1);
    assertThat(part(order, "a", 700).outcome()).isEqualTo(RefundDueScript.Outcome.ASKED);
    gateway.mood(Behavior.FORGETFUL);
    Refunds worker = worker(Duration.ofSeconds(20));
    for (int i = 0; i < 3; i++) {
      assertThat(worker.pass()).isEqualTo(1);
    }
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due");
    gateway.mood(Behavior.WELL);
    assertThat(worker.pass()).isEqualTo(1);
    assertThat(worker.pass()).isZero();
    assertThat(gateway.refundCount()).isEqualTo(1);
    assertThat(gateway.refunds().values()).allMatch(body -> body.path("amount").asLong() == 700);
    assertThat(gateway.calls())
        .extracting(FakeGateway.ReceivedCall::webhookId)
        .containsOnly(order.id().value() + ":p1:a");
  }

  @Test
  void aProviderThatAnswersTooLateHasAnUnknownOutcomeAndPaysOnce() {
    Order order = paid(1);
    assertThat(part(order, "a", 700).outcome()).isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(part(order, "b", 300).outcome()).isEqualTo(RefundDueScript.Outcome.ASKED);
    gateway.mood(Behavior.ASLEEP);
    Refunds worker = worker(Duration.ofMillis(200));
    assertThat(worker.pass()).isEqualTo(2);
    assertThat(world.kinds()).doesNotContain("refunded");
    gateway.wake();
    Eventually.await(
        () -> {
          int _ = worker.pass();
          return world.kinds().stream().filter("refunded"::equals).count() == 2;
        });
    assertThat(gateway.refundCount()).isEqualTo(2);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
  }
}
