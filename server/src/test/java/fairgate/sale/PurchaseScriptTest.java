package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleScripts.Buy;
import fairgate.SaleWorld;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.platform.redis.RedisFailure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PurchaseScriptTest {
  private static final String MANY = "slots 100 max_quantity 2 max_user 2 max_device 2";

  private final SaleWorld world = SaleWorld.open(10, MANY);

  private static PurchaseOutcome buy(
      SaleWorld in, Buyer buyer, int quantity, PurchaseScript.@Nullable Idempotency once) {
    return new PurchaseScript(in.redis())
        .run(
            in.keys(),
            PurchaseScript.shared(in.keys(), Duration.ofDays(11)),
            new PurchaseScript.Call(buyer.session(), in.order(), quantity, null, once))
        .await();
  }

  /// The outcome, after making sure that it left everything as it was.
  private static PurchaseOutcome refused(SaleWorld in, Buyer buyer, int quantity) {
    Map<String, String> before = in.dump();
    PurchaseOutcome outcome = buy(in, buyer, quantity, null);
    assertThat(in.dump()).isEqualTo(before);
    in.assertBalanced();
    return outcome;
  }

  private static PurchaseOutcome.Reserved reserved(PurchaseOutcome outcome) {
    assertThat(outcome).isInstanceOf(PurchaseOutcome.Reserved.class);
    return (PurchaseOutcome.Reserved) outcome;
  }

  @Test
  void aReadyBuyerGetsTheUnits() {
    Buyer buyer = world.ready();
    PurchaseOutcome.Reserved reserved = reserved(buy(world, buyer, 2, null));
    assertThat(reserved.quantity()).isEqualTo(2);
    assertThat(reserved.amount()).isEqualTo(new Money(19_998, "TWD"));
    assertThat(reserved.status()).isEqualTo("paid");
    assertThat(reserved.payBy()).isZero();
    assertThat(reserved.remaining()).isEqualTo(8);
    assertThat(reserved.replayed()).isFalse();
    assertThat(world.stock()).isEqualTo(8);
    assertThat(world.sale("confirmed")).isEqualTo("2");
    assertThat(world.sale("held")).isEqualTo("0");
    world.assertBalanced();
  }

  @Test
  void aReservationLooksInRedisAsTheDataModelSays() {
    SaleWorld pays = SaleWorld.open(3, "payment 1", "payment_ms 600000");
    Buyer buyer = pays.ready();
    PurchaseOutcome.Reserved reserved = reserved(buy(pays, buyer, 1, null));
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
            "product_id",
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
            "updated_at",
            "first");
    assertThat(
            pays.send("HMGET", order, "product_id", "session", "quantity", "status", "version")
                .texts())
        .containsExactly(product, session, "1", "pending", "1");
    assertThat(pays.send("HGET", order, "pay_by").text())
        .isEqualTo(Long.toString(reserved.payBy()));
    assertThat(pays.score("orders:pending:product:" + product, reserved.order().value()))
        .isEqualTo(reserved.payBy());
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
    PurchaseOutcome.Reserved reserved = reserved(buy(world, buyer, 1, null));
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
  void aRepeatWithTheSameKeyGivesTheFirstAnswer() {
    Buyer buyer = world.ready();
    PurchaseScript.Idempotency key = new PurchaseScript.Idempotency("key-1", "print");
    PurchaseOutcome.Reserved first = reserved(buy(world, buyer, 1, key));
    Map<String, String> before = world.dump();
    PurchaseOutcome.Reserved again = reserved(buy(world, buyer, 1, key));
    assertThat(world.dump()).isEqualTo(before);
    assertThat(again.replayed()).isTrue();
    assertThat(again.order()).isEqualTo(first.order());
    assertThat(again.amount()).isEqualTo(first.amount());
    assertThat(again.status()).isEqualTo(first.status());
    assertThat(again.remaining()).isEqualTo(first.remaining());
    assertThat(world.send("TTL", "event:" + world.product() + ":idem:key-1").number())
        .isBetween(86_400L * 10, 86_400L * 11);
  }

  @Test
  void theFirstAnswerStaysTheSameAfterTheOrderWentOn() {
    SaleWorld pays = SaleWorld.open(3, "payment 1", "payment_ms 600000");
    Buyer buyer = pays.ready();
    PurchaseScript.Idempotency key = new PurchaseScript.Idempotency("key", "print");
    PurchaseOutcome.Reserved first = reserved(buy(pays, buyer, 1, key));
    assertThat(pays.scripts().confirm(buyer, first.order(), "pay", 9_999).await().textAt(0))
        .isEqualTo("CONFIRMED");
    assertThat(reserved(buy(pays, buyer, 1, key)).status()).isEqualTo("pending");
  }

  @Test
  void theSameKeyForAnotherRequestIsAConflict() {
    Buyer buyer = world.ready();
    assertThat(reserved(buy(world, buyer, 1, new PurchaseScript.Idempotency("key", "one"))))
        .isNotNull();
    Map<String, String> before = world.dump();
    assertThat(buy(world, buyer, 1, new PurchaseScript.Idempotency("key", "two")))
        .isEqualTo(new PurchaseOutcome.IdempotencyConflict());
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aRefusalDoesNotUseUpTheKey() {
    Buyer buyer = world.buyer();
    assertThat(world.join(buyer)).hasSize(1);
    PurchaseScript.Idempotency key = new PurchaseScript.Idempotency("key", "print");
    assertThat(buy(world, buyer, 1, key)).isEqualTo(new PurchaseOutcome.NotInActive());
    assertThat(world.admit().size()).isEqualTo(6);
    assertThat(reserved(buy(world, buyer, 1, key)).replayed()).isFalse();
  }

  @Test
  void aSessionBuysOnce() {
    Buyer buyer = world.ready();
    OrderId order = reserved(buy(world, buyer, 1, null)).order();
    assertThat(refused(world, buyer, 1)).isEqualTo(new PurchaseOutcome.AlreadyPurchased(order));
  }

  @Test
  void aSessionBuysOnceInsideOneBatch() {
    Buyer buyer = world.ready();
    Buy buy = new Buy(buyer, world.order(), 1);
    List<String> replies =
        world.scripts().purchase(List.of(buy, new Buy(buyer, world.order(), 1))).await().texts();
    assertThat(replies.get(0)).startsWith("RESERVED|" + buy.order());
    assertThat(replies.get(1)).isEqualTo("BOUGHT|" + buy.order());
    assertThat(world.stock()).isEqualTo(9);
  }

  @Test
  void anUnknownSessionAndAnUnknownSaleAreRefused() {
    assertThat(refused(world, world.buyer(), 1)).isEqualTo(new PurchaseOutcome.UnknownSession());
    SaleWorld none = SaleWorld.unknown();
    assertThat(refused(none, world.ready(), 1)).isEqualTo(new PurchaseOutcome.UnknownSession());
  }

  @Test
  void aPlaceForAnotherProductDoesNotCount() {
    SaleWorld other = SaleWorld.open(1);
    assertThat(refused(other, world.ready(), 1)).isEqualTo(new PurchaseOutcome.NotInQueue());
  }

  @Test
  void aSaleThatIsNotOpenSellsNothing() {
    SaleWorld sale = SaleWorld.open(5, MANY);
    Buyer buyer = sale.ready();
    assertThat(sale.configure("paused")).isEqualTo("APPLIED");
    assertThat(refused(sale, buyer, 1)).isEqualTo(new PurchaseOutcome.SaleNotOpen());
    assertThat(sale.configure("open", "closes_at " + sale.now())).isEqualTo("APPLIED");
    assertThat(refused(sale, buyer, 1)).isEqualTo(new PurchaseOutcome.SaleClosed());
  }

  @Test
  void oneHasToBeReadyToBuy() {
    SaleWorld sale = SaleWorld.open(5, "capacity 2");
    List<Buyer> all = sale.buyers(3);
    assertThat(sale.join(all)).hasSize(3);
    assertThat(sale.admit().at(1).number()).isEqualTo(2);
    assertThat(refused(sale, all.get(2), 1)).isEqualTo(new PurchaseOutcome.NotInActive());
    assertThat(refused(sale, all.get(1), 1)).isEqualTo(new PurchaseOutcome.NotReady());
    assertThat(sale.scripts().leave(all.get(0)).await().text()).startsWith("LEFT");
    assertThat(refused(sale, all.get(0), 1)).isEqualTo(new PurchaseOutcome.NotInQueue());
  }

  @Test
  void aWindowThatHasPassedBuysNothingBeforeAndAfterItIsEnded() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    assertThat(refused(world, buyer, 1)).isEqualTo(new PurchaseOutcome.TimedOut());
    assertThat(world.scripts().expire(10).await().at(0).number()).isEqualTo(1);
    assertThat(refused(world, buyer, 1)).isEqualTo(new PurchaseOutcome.TimedOut());
  }

  @Test
  void moreUnitsThanOnePurchaseMayTakeAreRefused() {
    assertThat(refused(world, world.ready(), 3)).isEqualTo(new PurchaseOutcome.TooMany(2));
  }

  @Test
  void limitsOfUserAndDeviceHold() {
    Buyer first = world.ready(world.buyer("phone", "account"));
    assertThat(reserved(buy(world, first, 1, null))).isNotNull();
    Buyer sameUser = world.ready(world.buyer("laptop", "account"));
    assertThat(refused(world, sameUser, 2)).isEqualTo(new PurchaseOutcome.LimitReached());
    Buyer sameDevice = world.ready(world.buyer("phone", "other"));
    assertThat(refused(world, sameDevice, 2)).isEqualTo(new PurchaseOutcome.LimitReached());
    assertThat(reserved(buy(world, sameUser, 1, null)).quantity()).isEqualTo(1);
  }

  @Test
  void theLastUnitGoesToOneBuyer() {
    SaleWorld last = SaleWorld.open(1, MANY);
    List<Buyer> all = last.buyers(20);
    assertThat(last.join(all)).hasSize(20);
    assertThat(last.admit().size()).isEqualTo(25);
    List<String> replies =
        last.scripts()
            .purchase(all.stream().map(b -> new Buy(b, last.order(), 1)).toList())
            .await()
            .texts();
    assertThat(replies.getFirst()).startsWith("RESERVED|");
    assertThat(replies.subList(1, 20)).containsOnly("SOLD_OUT");
    assertThat(refused(last, all.get(1), 1)).isEqualTo(new PurchaseOutcome.SoldOut());
    assertThat(last.stock()).isZero();
    last.assertBalanced();
  }

  @Test
  void soldOutEndsWhenUnitsComeBack() {
    SaleWorld last = SaleWorld.open(1, MANY, "payment 1", "payment_ms 600000");
    Buyer first = last.ready();
    Buyer second = last.ready();
    OrderId order = reserved(buy(last, first, 1, null)).order();
    assertThat(refused(last, second, 1)).isEqualTo(new PurchaseOutcome.SoldOut());
    assertThat(last.scripts().release(first, order, "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(reserved(buy(last, second, 1, null)).remaining()).isZero();
    last.assertBalanced();
  }

  @Test
  void aKeyOfTheWrongTypePoisonsOnlyItsOwnItem() {
    List<Buyer> all = world.buyers(4);
    assertThat(world.join(all)).hasSize(4);
    assertThat(world.admit().size()).isEqualTo(9);
    OrderId poisoned = world.order();
    world.sent("SET", world.keys().order(poisoned), "x");
    world.sent("RPUSH", world.keys().deviceBought(all.get(2).device()), "x");
    assertThat(world.configure("open", "max_device 0")).isEqualTo("APPLIED");
    List<String> replies =
        world
            .scripts()
            .purchase(
                List.of(
                    new Buy(all.get(0), world.order(), 1),
                    new Buy(all.get(1), poisoned, 1),
                    new Buy(all.get(2), world.order(), 1),
                    new Buy(all.get(3), world.order(), 1)))
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
    assertThatThrownBy(() -> refused(world, all.get(2), 1)).isInstanceOf(RedisFailure.class);
  }

  @Test
  void aSharedKeyOfTheWrongTypeFailsBeforeAnythingIsWritten() {
    Buyer buyer = world.ready();
    for (String key : List.of(world.keys().purchases(), world.keys().pending())) {
      world.sent("SET", key, "x");
      Map<String, String> before = world.dump();
      assertThatThrownBy(() -> buy(world, buyer, 1, null)).isInstanceOf(RedisFailure.class);
      assertThat(world.dump()).isEqualTo(before);
      world.sent("DEL", key);
    }
    assertThat(reserved(buy(world, buyer, 1, null))).isNotNull();
  }
}
