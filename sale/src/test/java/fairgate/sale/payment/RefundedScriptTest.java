package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import org.junit.jupiter.api.Test;

final class RefundedScriptTest {
  private final SaleWorld world = new SaleWorld(5);

  private RefundedScript.Outcome refunded(Order order, Payment payment) {
    return world.book.refunded(order.id(), payment).await();
  }

  private Order paid(int quantity, String payment) {
    Order order = world.reserve(quantity, 60_000);
    assertThat(world.book.confirm(order.id(), payment(payment, order)).await())
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    return order;
  }

  @Test
  void aPaidOrderWhoseMoneyWentBackFreesItsUnits() {
    Order order = paid(2, "p1");
    assertThat(world.book.refundDue(order.id(), "wish").await())
        .isEqualTo(RefundDueScript.Outcome.ASKED);
    assertThat(world.confirmed()).isEqualTo(2);
    assertThat(refunded(order, payment("p1", order))).isEqualTo(RefundedScript.Outcome.REFUNDED);
    assertThat(refunded(order, payment("p1", order))).isEqualTo(RefundedScript.Outcome.ALREADY);
    assertThat(world.order(order.id()).status()).isEqualTo(OrderStatus.REFUNDED);
    assertThat(world.order(order.id()).version()).isEqualTo(4);
    assertThat(world.free()).isEqualTo(5);
    assertThat(world.confirmed()).isZero();
    assertThat(world.number("GET", world.keys.userBought(order.user()))).isZero();
    assertThat(world.number("SISMEMBER", world.keys.purchases(), order.session().value())).isZero();
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due", "refunded");
    assertThat(world.outbox().getLast())
        .containsEntry("status", "refunded")
        .containsEntry("payment", "p1")
        .containsEntry("refund_amount", "19998");
    world.assertConserved();
  }

  @Test
  void aSecondPaymentIsMarkedAndTheOrderStaysPaid() {
    Order order = paid(1, "p1");
    assertThat(world.book.confirm(order.id(), payment("p2", order)).await())
        .isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(refunded(order, payment("p2", order))).isEqualTo(RefundedScript.Outcome.MARKED);
    assertThat(refunded(order, payment("p2", order))).isEqualTo(RefundedScript.Outcome.ALREADY);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    assertThat(world.book.confirm(order.id(), payment("p2", order)).await())
        .isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due", "refunded");
    world.assertConserved();
  }

  @Test
  void aPaymentNobodyWantsBackIsNotMarked() {
    Order order = paid(1, "p1");
    assertThat(refunded(order, payment("p1", order))).isEqualTo(RefundedScript.Outcome.NOT_DUE);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    assertThat(world.kinds()).containsExactly("confirmed");
  }

  @Test
  void anUnknownOrderIsSaidSo() {
    OrderId nobody = OrderId.of(world.product, "z".repeat(26));
    assertThat(world.book.refunded(nobody, payment("p1", 1)).await())
        .isEqualTo(RefundedScript.Outcome.UNKNOWN);
  }

  @Test
  void keysOfAnotherBuyerAreRefused() {
    Order order = paid(1, "p1");
    assertThat(redis("HSET", world.keys.order(order.id()), "user", "another").number()).isZero();
    assertThatThrownBy(
            () ->
                new RefundedScript(SaleWorld.REDIS)
                    .run(world.keys, order, payment("p1", order), "")
                    .await())
        .isInstanceOf(ServiceUnavailable.class);
  }
}
