package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.ExtendScript;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class ExtendScriptTest {
  private final SaleWorld world = new SaleWorld(9);

  private ExtendScript.Outcome extend(OrderId order, long payBy) {
    return world.book.extend(order, Instant.ofEpochMilli(payBy), "operator").await();
  }

  @Test
  void theDeadlineMovesOnceAndTheLedgerLearnsOfIt() {
    Order order = world.reserve(2, 60_000);
    long later = order.payBy() + 600_000;
    assertThat(extend(order.id(), later)).isEqualTo(ExtendScript.Outcome.EXTENDED);
    assertThat(extend(order.id(), later)).isEqualTo(ExtendScript.Outcome.LATER);
    assertThat(extend(order.id(), later - 1)).isEqualTo(ExtendScript.Outcome.LATER);
    assertThat(world.order(order.id()).payBy()).isEqualTo(later);
    String score = redis("ZSCORE", world.keys.pending(), order.id().value()).text();
    assertThat(score).isEqualTo(Double.toString((double) later));
    assertThat(world.outbox()).hasSize(1);
    assertThat(world.outbox().getFirst())
        .containsEntry("kind", "extended")
        .containsEntry("status", "pending")
        .containsEntry("version", "2")
        .containsEntry("pay_by", Long.toString(later))
        .containsEntry("reason", "operator");
    world.assertConserved();
  }

  @Test
  void theNewDeadlineIsMeantFromNowOnAlsoAfterTheProviderFailed() {
    Order order = world.reserve(1, 60_000);
    redis("HSET", world.keys.sale(), "pay_paused_ms", "600000");
    long later = SaleWorld.now() + 3_600_000;
    assertThat(extend(order.id(), later)).isEqualTo(ExtendScript.Outcome.EXTENDED);
    assertThat(world.order(order.id()).payBy()).isEqualTo(later);
  }

  @Test
  void anOrderPastItsDeadlineIsNotExtended() {
    Order order = world.reserve(1, -1);
    Duration lease = Duration.ofSeconds(15);
    assertThat(world.book.due(world.product, 9, lease, Duration.ZERO).await().orders())
        .containsExactly(order.id());
    assertThat(extend(order.id(), SaleWorld.now() + 60_000)).isEqualTo(ExtendScript.Outcome.DUE);
    assertThat(world.outbox()).isEmpty();
  }

  @Test
  void anOrderThatIsNotPendingIsNotExtended() {
    Order order = world.reserve(1, 60_000);
    assertThat(world.book.confirm(order.id(), SaleWorld.payment("p1", order)).await())
        .isEqualTo(new ConfirmOutcome.Confirmed(false));
    assertThat(extend(order.id(), SaleWorld.now() + 600_000)).isEqualTo(ExtendScript.Outcome.OVER);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    OrderId none = OrderId.of(world.product, "z".repeat(26));
    assertThat(extend(none, SaleWorld.now() + 600_000)).isEqualTo(ExtendScript.Outcome.UNKNOWN);
  }
}
