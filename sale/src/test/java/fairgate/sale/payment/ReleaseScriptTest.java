package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.ReleaseScript;
import fairgate.sale.payment.ReleaseOutcome.Reason;
import org.junit.jupiter.api.Test;

final class ReleaseScriptTest {
  private final SaleWorld world = new SaleWorld(5);

  private ReleaseOutcome release(Order order, Reason reason) {
    return world.book.release(order.id(), reason).await();
  }

  @Test
  void anUnpaidOrderPastItsDeadlineGivesEverythingBack() {
    Order order = world.reserve(2, -1);
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(world.order(order.id()).status()).isEqualTo(OrderStatus.EXPIRED);
    assertThat(world.order(order.id()).version()).isEqualTo(2);
    assertThat(world.free()).isEqualTo(5);
    assertThat(world.held()).isZero();
    assertThat(world.number("GET", world.keys.userBought(order.user()))).isZero();
    assertThat(world.number("GET", world.keys.deviceBought(order.device()))).isZero();
    assertThat(world.number("SISMEMBER", world.keys.purchases(), order.session().value())).isZero();
    assertThat(redis("ZSCORE", world.keys.pending(), order.id().value()).isNil()).isTrue();
    assertThat(redis("HGET", world.keys.devices(), order.device()).isNil()).isTrue();
    assertThat(redis("HMGET", world.keys.session(order.session()), "queue_status", "ended").texts())
        .containsExactly("expired", "unpaid");
    world.assertConserved();
  }

  @Test
  void anUnpaidOrderBarsItsBuyerForAWhile() {
    Order order = world.reserve(1, -1);
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(world.number("TTL", world.keys.userCooldown(order.user()))).isBetween(30L, 60L);
    assertThat(world.number("TTL", world.keys.deviceCooldown(order.device()))).isBetween(30L, 60L);
  }

  @Test
  void aBuyerWhoCancelsIsBarredAsLongAsOneWhoDoesNotPay() {
    Order order = world.reserve(1, 60_000);
    assertThat(release(order, Reason.CANCELLED)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(world.status(order)).isEqualTo(OrderStatus.CANCELLED);
    assertThat(world.number("TTL", world.keys.userCooldown(order.user()))).isBetween(30L, 60L);
    assertThat(world.number("TTL", world.keys.deviceCooldown(order.device()))).isBetween(30L, 60L);
    world.assertConserved();
  }

  @Test
  void anOperatorsCancellationBarsNobody() {
    Order order = world.reserve(1, 60_000);
    assertThat(release(order, Reason.WITHDRAWN)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(world.status(order)).isEqualTo(OrderStatus.CANCELLED);
    assertThat(world.number("EXISTS", world.keys.userCooldown(order.user()))).isZero();
    assertThat(world.outbox().getFirst()).containsEntry("reason", "operator");
    world.assertConserved();
  }

  @Test
  void withoutACooldownNobodyIsBarred() {
    assertThat(redis("HSET", world.keys.sale(), "cooldown_s", "0").number()).isZero();
    Order order = world.reserve(1, -1);
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(world.number("EXISTS", world.keys.userCooldown(order.user()))).isZero();
  }

  @Test
  void aRepeatChangesNothing() {
    Order order = world.reserve(2, -1);
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.Released());
    for (Reason reason : Reason.values()) {
      assertThat(release(order, reason))
          .isEqualTo(new ReleaseOutcome.AlreadyOver(OrderStatus.EXPIRED));
    }
    assertThat(world.free()).isEqualTo(5);
    assertThat(world.kinds()).containsExactly("released");
    assertThat(world.outbox().getFirst())
        .containsEntry("status", "expired")
        .containsEntry("version", "2")
        .containsEntry("reason", "expired")
        .containsEntry("quantity", "2")
        .containsEntry("seq", "1");
    world.assertConserved();
  }

  @Test
  void beforeItsDeadlineAnOrderDoesNotExpire() {
    Order order = world.reserve(1, 60_000);
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.NotDue());
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.held()).isEqualTo(1);
    assertThat(world.outbox()).isEmpty();
  }

  @Test
  void aPaidOrderIsNotReleased() {
    Order order = world.reserve(1, -1);
    assertThat(world.book.confirm(order.id(), payment("p", order)).await()).isNotNull();
    for (Reason reason : Reason.values()) {
      assertThat(release(order, reason)).isEqualTo(new ReleaseOutcome.Paid());
    }
    assertThat(world.kinds()).containsExactly("confirmed");
    world.assertConserved();
  }

  @Test
  void anotherSessionsDevicePlaceIsLeftAlone() {
    Order order = world.reserve(1, -1);
    assertThat(redis("HSET", world.keys.devices(), order.device(), "another").number()).isZero();
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(redis("HGET", world.keys.devices(), order.device()).text()).isEqualTo("another");
  }

  @Test
  void aForgottenSessionIsNotWrittenAnew() {
    Order order = world.reserve(1, -1);
    assertThat(redis("DEL", world.keys.session(order.session())).number()).isEqualTo(1);
    assertThat(release(order, Reason.EXPIRED)).isEqualTo(new ReleaseOutcome.Released());
    assertThat(world.number("EXISTS", world.keys.session(order.session()))).isZero();
  }

  @Test
  void anUnknownOrderIsSaidSo() {
    OrderId nobody = OrderId.of(world.product, "z".repeat(26));
    assertThat(world.book.release(nobody, Reason.CANCELLED).await())
        .isEqualTo(new ReleaseOutcome.UnknownOrder());
  }

  @Test
  void keysOfAnotherBuyerAreRefused() {
    Order order = world.reserve(1, -1);
    assertThat(redis("HSET", world.keys.order(order.id()), "device", "another").number()).isZero();
    assertThatThrownBy(
            () -> new ReleaseScript(SaleWorld.REDIS).run(world.keys, order, Reason.EXPIRED).await())
        .isInstanceOf(ServiceUnavailable.class);
    assertThat(world.held()).isEqualTo(1);
  }
}
