package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.ReversedScript;
import org.junit.jupiter.api.Test;

final class ReversedScriptTest {
  private static final long PAID = 2L * SaleWorld.PRICE;

  private final SaleWorld world = new SaleWorld(9);

  private Order paid() {
    Order order = world.reserve(2, 60_000);
    assertThat(world.book.confirm(order.id(), payment("p1", order)).await())
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    return order;
  }

  private ReversedScript.Outcome refunded(Order order, long total) {
    return world.book.reversed(order.id(), payment("p1", total), "provider", "").await();
  }

  private ReversedScript.Outcome lost(Order order, String dispute, long amount) {
    return world.book.reversed(order.id(), payment("p1", amount), "dispute", dispute).await();
  }

  @Test
  void aWholeRefundEndsTheOrderOnce() {
    Order order = paid();
    assertThat(refunded(order, PAID)).isEqualTo(ReversedScript.Outcome.REFUNDED);
    assertThat(refunded(order, PAID)).isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(world.status(order)).isEqualTo(OrderStatus.REFUNDED);
    assertThat(world.free()).isEqualTo(9);
    assertThat(world.kinds()).containsExactly("confirmed", "refunded");
    assertThat(world.outbox().getLast())
        .containsEntry("refund_amount", Long.toString(PAID))
        .containsEntry("refund_part", "")
        .containsEntry("reason", "provider");
    world.assertConserved();
  }

  @Test
  void partsThatArriveInAnyOrderAreCountedOnce() {
    Order order = paid();
    assertThat(refunded(order, 500)).isEqualTo(ReversedScript.Outcome.PART);
    assertThat(refunded(order, 300))
        .as("an older message")
        .isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(refunded(order, 500)).isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    assertThat(refunded(order, PAID)).isEqualTo(ReversedScript.Outcome.REFUNDED);
    assertThat(world.outbox().getLast()).containsEntry("refund_amount", Long.toString(PAID - 500));
    world.assertConserved();
  }

  @Test
  void whatThisServerAskedForIsNotCountedAgain() {
    Order order = paid();
    assertThat(world.book.refundPart(order.id(), "operator", "a", 500).await().outcome())
        .isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(refunded(order, 500)).isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(refunded(order, 800)).as("300 more").isEqualTo(ReversedScript.Outcome.PART);
    assertThat(world.outbox().getLast()).containsEntry("refund_amount", "300");
    assertThat(world.book.refundDue(order.id(), "operator").await())
        .isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(refunded(order, PAID)).isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(world.status(order)).as("until the worker is done").isEqualTo(OrderStatus.PAID);
    world.assertConserved();
  }

  @Test
  void aLostDisputeComesOnTopOfRefunds() {
    Order order = paid();
    assertThat(refunded(order, 500)).isEqualTo(ReversedScript.Outcome.PART);
    assertThat(lost(order, "du_1", 400)).isEqualTo(ReversedScript.Outcome.PART);
    assertThat(lost(order, "du_1", 400)).isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(lost(order, "du_2", PAID - 900)).isEqualTo(ReversedScript.Outcome.REFUNDED);
    assertThat(lost(order, "du_2", PAID - 900)).isEqualTo(ReversedScript.Outcome.ALREADY);
    assertThat(world.free()).isEqualTo(9);
    world.assertConserved();
  }

  @Test
  void onlyThePaymentOfAPaidOrderCounts() {
    Order pending = world.reserve(1, 60_000);
    assertThat(refunded(pending, PAID)).isEqualTo(ReversedScript.Outcome.ALREADY);
    Order order = paid();
    assertThat(world.book.reversed(order.id(), payment("p2", PAID), "provider", "").await())
        .isEqualTo(ReversedScript.Outcome.ALREADY);
    OrderId none = OrderId.of(world.product, "z".repeat(26));
    assertThat(world.book.reversed(none, payment("p1", PAID), "provider", "").await())
        .isEqualTo(ReversedScript.Outcome.UNKNOWN);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    world.assertConserved();
  }
}
