package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.sale.payment.OrderScripts.DeclinedScript;
import org.junit.jupiter.api.Test;

/// A refused payment is noted on its order, as long as the order is unpaid.
final class DeclinedScriptTest {
  private final SaleWorld world = new SaleWorld(5);

  private DeclinedScript.Outcome declined(OrderId id) {
    return new DeclinedScript(SaleWorld.REDIS).run(world.keys, id).await();
  }

  @Test
  void aPendingOrderKeepsTheTimeOfItsLastRefusedPayment() {
    Order order = world.reserve(1, 60_000);
    assertThat(order.declinedAt()).isZero();
    assertThat(declined(order.id())).isEqualTo(DeclinedScript.Outcome.DECLINED);
    long first = world.order(order.id()).declinedAt();
    assertThat(first).isBetween(order.createdAt(), SaleWorld.now());
    assertThat(declined(order.id())).isEqualTo(DeclinedScript.Outcome.DECLINED);
    assertThat(world.order(order.id()).declinedAt()).isGreaterThanOrEqualTo(first);
    assertThat(world.order(order.id()).version()).as("no edge").isEqualTo(order.version());
    world.assertConserved();
  }

  @Test
  void anOrderThatIsPaidIsLeftAsItIs() {
    Order order = world.reserve(1, 60_000);
    var _ = world.book.confirm(order.id(), payment("p1", order)).await();
    assertThat(declined(order.id())).isEqualTo(DeclinedScript.Outcome.OVER);
    assertThat(world.order(order.id()).declinedAt()).isZero();
  }

  @Test
  void anUnknownOrderIsNotMade() {
    OrderId nobodys = OrderId.of(world.product, "z".repeat(26));
    assertThat(declined(nobodys)).isEqualTo(DeclinedScript.Outcome.UNKNOWN);
    assertThat(world.number("EXISTS", world.keys.order(nobodys))).isZero();
  }
}
