package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import org.junit.jupiter.api.Test;

final class RefundDueScriptTest {
  private final SaleWorld world = new SaleWorld(5);

  private RefundDueScript.Outcome ask(Order order) {
    return world.book.refundDue(order.id(), "by the operator").await();
  }

  @Test
  void aPaidOrdersMoneyIsAskedBackOnce() {
    Order order = world.reserve(2, 60_000);
    assertThat(world.book.confirm(order.id(), payment("p1", order)).await()).isNotNull();
    assertThat(ask(order)).isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(ask(order)).isEqualTo(RefundDueScript.Outcome.ALREADY);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due");
    assertThat(world.outbox().getLast())
        .containsEntry("reason", "by the operator")
        .containsEntry("payment", "p1")
        .containsEntry("refund_amount", "19998")
        .containsEntry("refund_currency", "TWD")
        .containsEntry("version", "3");
    assertThat(world.book.refunded(order.id(), payment("p1", order)).await())
        .isEqualTo(RefundedScript.Outcome.REFUNDED);
    assertThat(ask(order)).isEqualTo(RefundDueScript.Outcome.ALREADY);
  }

  @Test
  void anUnpaidOrderHasNothingToGiveBack() {
    Order order = world.reserve(1, 60_000);
    assertThat(ask(order)).isEqualTo(RefundDueScript.Outcome.UNPAID);
    assertThat(world.outbox()).isEmpty();
  }

  @Test
  void anUnknownOrderIsSaidSo() {
    OrderId nobody = OrderId.of(world.product, "z".repeat(26));
    assertThat(world.book.refundDue(nobody, "why").await())
        .isEqualTo(RefundDueScript.Outcome.UNKNOWN);
  }
}
