package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleScripts.Buy;
import fairgate.SaleWorld;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.RedisFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What `purchase.lua` leaves in Redis.
final class PurchaseFactsTest {
  private final SaleWorld world =
      SaleWorld.open(10, "slots 100 max_quantity 2 max_user 2 max_device 2");

  private static PurchaseOutcome buy(SaleWorld in, Buyer buyer) {
    return new PurchaseScript(in.redis())
        .run(
            in.keys(),
            PurchaseScript.shared(in.keys(), Duration.ofDays(11)),
            new PurchaseScript.Attempt(in.order(), buyer.session(), 1, null, null))
        .await();
  }

  private static PurchaseOutcome.Reserved reserved(PurchaseOutcome outcome) {
    assertThat(outcome).isInstanceOf(PurchaseOutcome.Reserved.class);
    return (PurchaseOutcome.Reserved) outcome;
  }

  @Test
  void aReservationLooksInRedisAsTheDataModelSays() {
    SaleWorld pays = SaleWorld.open(3, "payment 1", "payment_ms 600000");
    Buyer buyer = pays.ready();
    PurchaseOutcome.Reserved reserved = reserved(buy(pays, buyer));
    String product = pays.product().value();
    String session = buyer.session().value();
    assertThat(pays.send("GET", "product:stock:" + product).text()).isEqualTo("2");
    assertThat(pays.send("TYPE", "product:stock:" + product).text()).isEqualTo("string");
    assertThat(pays.send("SMEMBERS", "purchases:product:" + product).texts())
        .containsExactly(session);
    assertThat(pays.send("HMGET", "session:" + session, "queue_status", "order").texts())
        .containsExactly("purchased", reserved.order().value());
    String order = "order:" + reserved.order();
    assertThat(pays.send("HKEYS", order).texts())
        .containsExactlyInAnyOrder(
            "session",
            "user",
            "device",
            "quantity",
            "amount",
            "currency",
            "status",
            "created_at",
            "pay_by",
            "remaining",
            "version",
            "first");
    assertThat(pays.send("HMGET", order, "session", "quantity", "status", "version").texts())
        .containsExactly(session, "1", "pending", "1");
    assertThat(pays.send("HGET", order, "pay_by").text())
        .isEqualTo(Long.toString(reserved.payBy()));
    assertThat(pays.score("orders:pending:product:" + product, reserved.order().value()))
        .isEqualTo(reserved.payBy());
  }

  @Test
  void theDeadlineOfAnOrderCountsFromItsPurchaseWhateverThePaymentPauseBefore() {
    SaleWorld pays = SaleWorld.open(3, "payment 1", "payment_ms 600000");
    pays.sent("HSET", pays.keys().sale(), "pay_paused_ms", "5000");
    PurchaseOutcome.Reserved reserved = reserved(buy(pays, pays.ready()));
    String order = "order:" + reserved.order();
    assertThat(pays.send("HMGET", order, "pay_by", "pay_pause").texts())
        .containsExactly(Long.toString(reserved.payBy()), "5000");
    assertThat(pays.score(pays.keys().pending(), reserved.order().value()))
        .isEqualTo(reserved.payBy() - 5_000);
  }

  @Test
  void whoBoughtIsCountedForGoodAndHasLeftTheQueue() {
    SaleWorld pays = SaleWorld.open(3, "payment 1", "payment_ms 600000");
    Buyer buyer = pays.ready();
    PurchaseOutcome.Reserved reserved = reserved(buy(pays, buyer));
    String product = pays.product().value();
    String session = buyer.session().value();
    String order = "order:" + reserved.order();
    String bought = "event:" + product + ":user:" + buyer.device() + ":bought";
    assertThat(pays.send("GET", bought).text()).isEqualTo("1");
    assertThat(pays.send("GET", "event:" + product + ":fp:" + buyer.device() + ":bought").text())
        .isEqualTo("1");
    for (String fact : List.of(order, bought, "purchases:product:" + product)) {
      assertThat(pays.send("TTL", fact).number()).as(fact).isEqualTo(-1);
    }
    for (String gone : List.of("queue:active:product:", "queue:ready:product:")) {
      assertThat(pays.send("ZSCORE", gone + product, session).isNil()).isTrue();
    }
    assertThat(pays.send("EXISTS", "purchase:lock:" + session).number()).isZero();
    assertThat(pays.sale("held")).isEqualTo("1");
    pays.assertBalanced();
  }

  @Test
  void theOutboxHasTheWholeOrder() {
    Buyer buyer = world.ready();
    PurchaseOutcome.Reserved reserved = reserved(buy(world, buyer));
    assertThat(world.send("XLEN", world.keys().outbox()).number()).isEqualTo(2);
    String entry =
        world.send("XREVRANGE", world.keys().outbox(), "+", "-", "COUNT", "1").texts().toString();
    for (String field :
        List.of(
            "seq, 2",
            "epoch, 1",
            "kind, reserved",
            "order, " + reserved.order(),
            "session, " + buyer.session(),
            "user, " + buyer.device(),
            "device, " + buyer.device(),
            "quantity, 1",
            "amount, 9999",
            "currency, TWD",
            "status, paid",
            "version, 1",
            "pay_by, 0")) {
      assertThat(entry).contains(field);
    }
    assertThat(world.sale("seq")).isEqualTo("2");
  }

  @Test
  void aKeyOfTheWrongTypePoisonsOnlyItsOwnItem() {
    List<Buyer> all = world.buyers(4);
    assertThat(world.join(all)).hasSize(4);
    assertThat(world.admitReady()).hasSize(4);
    OrderId poisoned = world.order(all.get(1));
    world.sent("SET", world.keys().order(poisoned), "x");
    world.sent("RPUSH", world.keys().deviceBought(all.get(2).device()), "x");
    assertThat(world.configure("open", "max_device 0")).isEqualTo("APPLIED");
    List<String> replies =
        world
            .scripts()
            .purchase(
                List.of(
                    new Buy(all.get(0), world.order(all.get(0)), 1),
                    new Buy(all.get(1), poisoned, 1),
                    new Buy(all.get(2), world.order(all.get(2)), 1),
                    new Buy(all.get(3), world.order(all.get(3)), 1)))
            .await()
            .texts();
    assertThat(replies.get(0)).startsWith("RESERVED");
    assertThat(replies.get(1)).startsWith("FAULT");
    assertThat(replies.get(2)).startsWith("FAULT");
    assertThat(replies.get(3)).startsWith("RESERVED");
    assertThat(world.stock()).isEqualTo(8);
    assertThat(world.sale("seq")).isEqualTo("3");
    assertThat(world.send("XLEN", world.keys().outbox()).number()).isEqualTo(3);
    world.assertBalanced();
    assertThat(world.status(all.get(1))).isEqualTo("ready_to_purchase");
    assertThatThrownBy(() -> buy(world, all.get(2))).isInstanceOf(RedisFailure.class);
  }

  @Test
  void aSharedKeyOfTheWrongTypeFailsBeforeAnythingIsWritten() {
    Buyer buyer = world.ready();
    for (String key : List.of(world.keys().purchases(), world.keys().pending())) {
      world.sent("SET", key, "x");
      Map<String, String> before = world.dump();
      assertThatThrownBy(() -> buy(world, buyer)).isInstanceOf(RedisFailure.class);
      assertThat(world.dump()).isEqualTo(before);
      world.sent("DEL", key);
    }
    assertThat(reserved(buy(world, buyer))).isNotNull();
  }
}
