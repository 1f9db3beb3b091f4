package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.sale.payment.OrderScripts.DeadlineScript;
import org.junit.jupiter.api.Test;

final class DeadlineScriptTest {
  private final SaleWorld world = new SaleWorld(9);

  private DeadlineScript.Deadline read(OrderId order) {
    return new DeadlineScript(SaleWorld.REDIS).run(world.keys, order).await();
  }

  private void sale(String field, long value) {
    SaleWorld.redis("HSET", world.keys.sale(), field, Long.toString(value));
  }

  @Test
  void theDeadlineIsAsItWasToldPlusThePauseSince() {
    Order order = world.reserve(1, 60_000);
    assertThat(read(order.id())).isEqualTo(new DeadlineScript.Deadline(order.payBy(), false));
    sale("pay_paused_ms", 5_000);
    assertThat(read(order.id()).payBy()).isEqualTo(order.payBy() + 5_000);
    SaleWorld.redis("HSET", world.keys.order(order.id()), "pay_pause", "2000");
    assertThat(read(order.id()).payBy()).isEqualTo(order.payBy() + 3_000);
    sale("pay_stopped_at", SaleWorld.now() - 1_000);
    sale("pay_stopped_until", SaleWorld.now() + 60_000);
    assertThat(read(order.id()).stands()).isTrue();
    assertThat(read(order.id()).payBy()).isGreaterThanOrEqualTo(order.payBy() + 4_000);
  }

  @Test
  void anOrderWithoutAPaymentHasNoDeadline() {
    assertThat(read(OrderId.of(world.product, "z".repeat(26))))
        .isEqualTo(new DeadlineScript.Deadline(0, false));
  }
}
