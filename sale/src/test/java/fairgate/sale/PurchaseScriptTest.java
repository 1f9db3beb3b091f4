package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts.Buy;
import fairgate.SaleWorld;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
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
            new PurchaseScript.Attempt(in.order(), buyer.session(), quantity, null, once))
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
  void anotherPriceThanTheBuyerAgreedToIsRefusedAndToldBeforeSoldOut() {
    Buyer buyer = world.ready();
    Map<String, String> before = world.dump();
    assertThat(agreed(buyer, 2, 9_999))
        .isEqualTo(new PurchaseOutcome.PriceChanged(new Money(19_998, "TWD")));
    assertThat(world.dump()).isEqualTo(before);
    world.sent("SET", world.keys().stock(), "0");
    assertThat(agreed(buyer, 2, 9_999)).isInstanceOf(PurchaseOutcome.PriceChanged.class);
    assertThat(agreed(buyer, 2, 19_998)).isEqualTo(new PurchaseOutcome.SoldOut());
    world.sent("SET", world.keys().stock(), "10");
    assertThat(reserved(agreed(buyer, 2, 19_998)).amount()).isEqualTo(new Money(19_998, "TWD"));
  }

  private PurchaseOutcome agreed(Buyer buyer, int quantity, long amount) {
    return new PurchaseScript(world.redis())
        .run(
            world.keys(),
            PurchaseScript.shared(world.keys(), Duration.ofDays(11)),
            new PurchaseScript.Attempt(
                world.order(), buyer.session(), quantity, null, amount, null))
        .await();
  }

  @Test
  void aRefusalDoesNotUseUpTheKey() {
    Buyer buyer = world.buyer();
    assertThat(world.join(buyer)).hasSize(1);
    PurchaseScript.Idempotency key = new PurchaseScript.Idempotency("key", "print");
    assertThat(buy(world, buyer, 1, key)).isEqualTo(new PurchaseOutcome.NotInActive());
    assertThat(world.admitReady()).hasSize(1);
    assertThat(reserved(buy(world, buyer, 1, key)).replayed()).isFalse();
  }

  @Test
  void aSessionBuysOnce() {
    Buyer buyer = world.ready();
    OrderId order = reserved(buy(world, buyer, 1, null)).order();
    assertThat(refused(world, buyer, 1)).isEqualTo(new PurchaseOutcome.AlreadyPurchased(order));
  }

  @Test
  void theOrdersOfOneBatchHaveIdsThatTellNothingOfEachOther() {
    List<Buyer> all = world.buyers(3);
    assertThat(world.join(all)).hasSize(3);
    assertThat(world.admitReady()).hasSize(3);
    List<OrderId> ids = all.stream().map(world::order).toList();
    List<String> replies =
        world
            .scripts()
            .purchase(all.stream().map(b -> new Buy(b, world.order(b), 1)).toList())
            .await()
            .texts();
    for (int i = 0; i < 3; i++) {
      assertThat(replies.get(i)).startsWith("RESERVED|" + ids.get(i) + '|');
    }
    assertThat(ids.stream().map(id -> id.value().substring(id.value().length() - 16)).distinct())
        .hasSize(3);
  }

  @Test
  void aSessionBuysOnceInsideOneBatch() {
    Buyer buyer = world.ready();
    Buy buy = new Buy(buyer, world.order(buyer), 1);
    List<String> replies =
        world
            .scripts()
            .purchase(List.of(buy, new Buy(buyer, world.order(buyer), 1)))
            .await()
            .texts();
    assertThat(replies.get(0)).startsWith("RESERVED|" + buy.order());
    assertThat(replies.get(1)).isEqualTo("BOUGHT|" + buy.order());
    assertThat(world.stock()).isEqualTo(9);
  }

  @Test
  void anUnknownSessionAndAnUnknownSaleAreRefused() {
    assertThat(refused(world, world.buyer(), 1)).isEqualTo(new PurchaseOutcome.UnknownSession());
    SaleWorld none = SaleWorld.unknown();
    assertThat(refused(none, world.ready(), 1)).isEqualTo(new PurchaseOutcome.NoSuchProduct());
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
    assertThat(sale.configure("closed")).isEqualTo("APPLIED");
    assertThat(refused(sale, buyer, 1)).isEqualTo(new PurchaseOutcome.SaleClosed());
  }

  @Test
  void closesAtLetsRunningWindowsBeUsedToTheirEnd() {
    SaleWorld sale = SaleWorld.open(5, MANY);
    Buyer inTime = sale.ready();
    Buyer late = sale.ready();
    Buyer waiting = sale.buyer();
    assertThat(sale.join(waiting)).hasSize(1);
    assertThat(sale.configure("open", "closes_at " + sale.now())).isEqualTo("APPLIED");
    assertThat(refused(sale, waiting, 1)).isEqualTo(new PurchaseOutcome.SaleClosed());
    assertThat(reserved(buy(sale, inTime, 1, null))).isNotNull();
    assertThat(sale.sale("paused_at")).isEmpty();
    sale.sent("HSET", sale.keys().session(late.session()), "purchase_timeout_at", "" + sale.now());
    assertThat(refused(sale, late, 1)).isEqualTo(new PurchaseOutcome.TimedOut());
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
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
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
  void aLimitIsToldBeforeSoldOut() {
    SaleWorld few = SaleWorld.open(2, MANY);
    Buyer first = few.ready(few.buyer("phone", "account"));
    assertThat(reserved(buy(few, first, 1, null)).remaining()).isEqualTo(1);
    Buyer sameUser = few.ready(few.buyer("laptop", "account"));
    Buyer sameDevice = few.ready(few.buyer("phone", "other"));
    Buyer stranger = few.ready();
    assertThat(refused(few, sameUser, 2)).isEqualTo(new PurchaseOutcome.LimitReached());
    assertThat(refused(few, sameDevice, 2)).isEqualTo(new PurchaseOutcome.LimitReached());
    assertThat(refused(few, stranger, 2)).isEqualTo(new PurchaseOutcome.SoldOut());
  }

  @Test
  void theLastUnitGoesToOneBuyer() {
    SaleWorld last = SaleWorld.open(1, MANY);
    List<Buyer> all = last.ready(last.buyers(20));
    List<String> replies =
        last.scripts()
            .purchase(all.stream().map(b -> new Buy(b, last.order(b), 1)).toList())
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
}
