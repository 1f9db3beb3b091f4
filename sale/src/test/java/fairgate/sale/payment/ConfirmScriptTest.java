package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.ConfirmScript;
import fairgate.sale.payment.PaymentConfig.LateMoney;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfirmScriptTest {
  private final SaleWorld world = new SaleWorld(5);

  private ConfirmOutcome confirm(Order order, Payment payment) {
    return world.book.confirm(order.id(), payment).await();
  }

  private Order expired(int quantity) {
    Order order = world.reserve(quantity, -1);
    assertThat(world.book.release(order.id(), ReleaseOutcome.Reason.EXPIRED).await())
        .isEqualTo(new ReleaseOutcome.Released());
    return order;
  }

  @Test
  void aPaymentOfAPendingOrderConfirmsIt() {
    Order order = world.reserve(2, 60_000);
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.Confirmed(false));
    Order after = world.order(order.id());
    assertThat(after.status()).isEqualTo(OrderStatus.PAID);
    assertThat(after.version()).isEqualTo(2);
    assertThat(after.payment()).isEqualTo("p1");
    assertThat(world.held()).isZero();
    assertThat(world.confirmed()).isEqualTo(2);
    assertThat(redis("ZSCORE", world.keys.pending(), order.id().value()).isNil()).isTrue();
    assertThat(redis("HGET", world.keys.session(order.session()), "queue_status").text())
        .isEqualTo("purchased");
    world.assertConserved();
  }

  @Test
  void theOutboxCarriesTheWholeOrderAfterTheEdge() {
    Order order = world.reserve(2, 60_000);
    assertThat(confirm(order, payment("p1", order))).isNotNull();
    assertThat(world.outbox()).hasSize(1);
    Map<String, String> entry = world.outbox().getFirst();
    assertThat(Long.parseLong(entry.getOrDefault("at", ""))).isPositive();
    assertThat(entry)
        .containsAllEntriesOf(
            Map.ofEntries(
                Map.entry("seq", "1"),
                Map.entry("epoch", "1"),
                Map.entry("kind", "confirmed"),
                Map.entry("order", order.id().value()),
                Map.entry("session", order.session().value()),
                Map.entry("user", order.user()),
                Map.entry("device", order.device()),
                Map.entry("quantity", "2"),
                Map.entry("amount", "19998"),
                Map.entry("currency", "TWD"),
                Map.entry("status", "paid"),
                Map.entry("version", "2"),
                Map.entry("pay_by", Long.toString(order.payBy())),
                Map.entry("reason", ""),
                Map.entry("payment", "p1")));
  }

  @Test
  void aRepeatChangesNothing() {
    Order order = world.reserve(1, 60_000);
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.Confirmed(false));
    for (int i = 0; i < 3; i++) {
      assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.AlreadyPaid());
    }
    assertThat(world.order(order.id()).version()).isEqualTo(2);
    assertThat(world.kinds()).containsExactly("confirmed");
    world.assertConserved();
  }

  @Test
  void aSecondPaymentGoesBackOnce() {
    Order order = world.reserve(1, 60_000);
    assertThat(confirm(order, payment("p1", order))).isNotNull();
    for (int i = 0; i < 3; i++) {
      assertThat(confirm(order, payment("p2", order))).isEqualTo(new ConfirmOutcome.RefundDue());
    }
    assertThat(world.order(order.id()).payment()).isEqualTo("p1");
    assertThat(world.kinds()).containsExactly("confirmed", "refund_due");
    assertThat(world.outbox().get(1))
        .containsEntry("payment", "p2")
        .containsEntry("reason", "second")
        .containsEntry("status", "paid")
        .containsEntry("refund_amount", "9999")
        .containsEntry("refund_currency", "TWD");
  }

  @Test
  void aWrongAmountOrCurrencyGoesBackAndTheOrderWaitsOn() {
    Order order = world.reserve(1, 60_000);
    assertThat(confirm(order, payment("p1", 9_998))).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(confirm(order, new Payment("p2", new Money(9_999, "USD"))))
        .isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(confirm(order, payment("p1", 9_998))).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.kinds()).containsExactly("refund_due", "refund_due");
    assertThat(world.outbox().getFirst())
        .containsEntry("amount", "9999")
        .containsEntry("refund_amount", "9998");
    assertThat(confirm(order, payment("p3", order))).isEqualTo(new ConfirmOutcome.Confirmed(false));
    world.assertConserved();
  }

  @Test
  void lateMoneyTakesFreeUnitsAgain() {
    Order order = expired(2);
    assertThat(world.free()).isEqualTo(5);
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.Confirmed(true));
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.AlreadyPaid());
    assertThat(world.free()).isEqualTo(3);
    assertThat(world.confirmed()).isEqualTo(2);
    assertThat(world.order(order.id()).version()).isEqualTo(3);
    assertThat(world.number("GET", world.keys.userBought(order.user()))).isEqualTo(2);
    assertThat(world.number("GET", world.keys.deviceBought(order.device()))).isEqualTo(2);
    assertThat(redis("SISMEMBER", world.keys.purchases(), order.session().value()).number())
        .isEqualTo(1);
    assertThat(redis("HGET", world.keys.session(order.session()), "queue_status").text())
        .isEqualTo("purchased");
    assertThat(world.outbox().getLast())
        .containsEntry("kind", "confirmed")
        .containsEntry("reason", "late");
    world.assertConserved();
  }

  @Test
  void lateMoneyWithoutStockGoesBackOnceAndNeverBuysLater() {
    Order order = expired(2);
    Order other = world.reserve(4, 60_000);
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(world.book.release(other.id(), ReleaseOutcome.Reason.CANCELLED).await())
        .isEqualTo(new ReleaseOutcome.Released());
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(world.status(order)).isEqualTo(OrderStatus.EXPIRED);
    assertThat(world.kinds()).containsExactly("released", "refund_due", "released");
    world.assertConserved();
  }

  @Test
  void lateMoneyOverAUsersOrADevicesLimitGoesBack() {
    Order first = expired(2);
    Order again = world.reserve(1, 60_000, first.user(), "elsewhere");
    assertThat(confirm(first, payment("p1", first))).isEqualTo(new ConfirmOutcome.RefundDue());
    Order second = expired(2);
    Order more = world.reserve(1, 60_000, "somebody", second.device());
    assertThat(confirm(second, payment("p2", second))).isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(world.status(again)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.status(more)).isEqualTo(OrderStatus.PENDING);
    world.assertConserved();
  }

  @Test
  void lateMoneyOfASessionThatBoughtAgainGoesBack() {
    Order order = expired(1);
    assertThat(redis("SADD", world.keys.purchases(), order.session().value()).number())
        .isEqualTo(1);
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.RefundDue());
  }

  @Test
  void lateMoneyGoesBackWhereThePolicySaysSo() {
    Order order = expired(1);
    assertThat(world.book(LateMoney.REFUND).confirm(order.id(), payment("p1", order)).await())
        .isEqualTo(new ConfirmOutcome.RefundDue());
    assertThat(world.free()).isEqualTo(5);
  }

  @Test
  void anEndedSessionIsNotBroughtBackWithoutItsLife() {
    Order order = expired(1);
    assertThat(redis("DEL", world.keys.session(order.session())).number()).isEqualTo(1);
    assertThat(confirm(order, payment("p1", order))).isEqualTo(new ConfirmOutcome.Confirmed(true));
    assertThat(redis("EXISTS", world.keys.session(order.session())).number()).isZero();
  }

  @Test
  void moneyForAnUnknownOrderIsSaidSo() {
    OrderId nobody = OrderId.of(world.product, "z".repeat(26));
    assertThat(world.book.confirm(nobody, payment("p1", 1)).await())
        .isEqualTo(new ConfirmOutcome.UnknownOrder());
    assertThat(world.outbox()).isEmpty();
  }

  @Test
  void anOrderGoneSinceItWasReadIsUnknown() {
    Order order = world.reserve(1, 60_000);
    assertThat(redis("DEL", world.keys.order(order.id())).number()).isEqualTo(1);
    assertThat(
            new ConfirmScript(SaleWorld.REDIS)
                .run(world.keys, order, payment("p1", order), LateMoney.REHOLD)
                .await())
        .isEqualTo(new ConfirmOutcome.UnknownOrder());
  }

  @Test
  void keysOfAnotherBuyerAreRefused() {
    Order order = world.reserve(1, 60_000);
    assertThat(redis("HSET", world.keys.order(order.id()), "user", "another").number()).isZero();
    assertThatThrownBy(
            () ->
                new ConfirmScript(SaleWorld.REDIS)
                    .run(world.keys, order, payment("p1", order), LateMoney.REHOLD)
                    .await())
        .isInstanceOf(ServiceUnavailable.class);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.outbox()).isEmpty();
  }
}
