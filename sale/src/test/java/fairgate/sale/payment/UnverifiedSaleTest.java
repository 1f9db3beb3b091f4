package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.ConfirmScript;
import fairgate.sale.payment.OrderScripts.RefundedScript;
import fairgate.sale.payment.OrderScripts.ReleaseScript;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import io.vertx.core.Future;
import org.junit.jupiter.api.Test;

/// After a start of Redis no order goes on before its sale was compared with the ledger.
final class UnverifiedSaleTest {
  private final SaleWorld world = new SaleWorld(5);

  private static void waits(Future<?> edge) {
    assertThatThrownBy(edge::await).isInstanceOf(ServiceUnavailable.class);
  }

  @Test
  void everyEdgeOfAnOrderWaits() {
    Order order = world.reserve(1, -1);
    assertThat(redis("HSET", world.keys.sale(), "run", "another").number()).isEqualTo(1);
    waits(
        new ConfirmScript(SaleWorld.REDIS)
            .run(world.keys, order, payment("p1", order), LateMoney.REHOLD));
    waits(new ReleaseScript(SaleWorld.REDIS).run(world.keys, order, ReleaseOutcome.Reason.EXPIRED));
    waits(new RefundedScript(SaleWorld.REDIS).run(world.keys, order, payment("p1", order), ""));
    waits(new RefundDueScript(SaleWorld.REDIS).rest(world.keys, order.id(), "why"));
    waits(new RefundDueScript(SaleWorld.REDIS).part(world.keys, order.id(), "why", "a", 1));
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.held()).isEqualTo(1);
    assertThat(world.outbox()).isEmpty();
  }
}
