package fairgate.sale.deposit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts.Buy;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.sale.deposit.DepositBook.PutDepositScript;
import fairgate.sale.deposit.EndDepositsScript.End;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What joins, purchases and the end of places do with deposits.
final class EndDepositsScriptTest {
  private final SaleWorld world =
      SaleWorld.open(
          10, "slots 100 max_quantity 2 max_user 9 payment 1 payment_ms 600000 deposit 1");
  private final PutDepositScript put = new PutDepositScript(world.redis(), SaleKeys.Style.PLAIN);
  private final EndDepositsScript script =
      new EndDepositsScript(world.redis(), SaleKeys.Style.PLAIN);

  private Deposit deposit(Buyer buyer, long amount) {
    return new Deposit(
        world.order().asDeposit(),
        buyer.account().isEmpty() ? buyer.device() : buyer.account(),
        new Money(amount, "TWD"),
        Deposit.State.PAID,
        DepositEnd.KEPT,
        Instant.EPOCH,
        Instant.EPOCH,
        "payment",
        null,
        null,
        null);
  }

  private Deposit paid(Buyer buyer, long amount) {
    Deposit deposit = deposit(buyer, amount);
    assertThat(put.run(deposit).await()).isTrue();
    return deposit;
  }

  private End end(Deposit deposit) {
    return script.run(List.of(deposit.id())).await().getFirst();
  }

  private List<String> buy(Buyer buyer, int quantity) {
    OrderId order = world.order(buyer);
    String reply =
        world.scripts().purchase(List.of(new Buy(buyer, order, quantity))).await().textAt(0);
    return List.of(reply.split("\\|", -1));
  }

  private String holder(Deposit deposit) {
    return world.send("HGET", world.keys().deposits(), deposit.id().value()).text();
  }

  @Test
  void aPaidDepositGivesOnePlace() {
    Buyer buyer = world.buyer();
    assertThat(world.join(buyer)).containsExactly("DEPOSIT");
    assertThat(world.send("ZCARD", world.keys().waiting()).number()).isZero();
    Deposit deposit = paid(buyer, 2_000);
    assertThat(world.join(buyer)).containsExactly("JOINED 0");
    assertThat(holder(deposit)).isEqualTo(buyer.session().value());
    assertThat(put.run(deposit).await()).as("a repeat").isTrue();
    assertThat(world.scripts().leave(buyer).await().text()).startsWith("LEFT");
    assertThat(world.join(world.buyer(buyer.device(), ""))).containsExactly("DEPOSIT");
  }

  private String ask(Buyer buyer) {
    var before = world.dump();
    String reply = world.scripts().ask(buyer).await().textAt(0);
    assertThat(world.dump()).as("who only asks changes nothing").isEqualTo(before);
    return reply;
  }

  @Test
  void whoOnlyAsksIsToldWhatAJoinWouldGet() {
    Buyer buyer = world.buyer();
    assertThat(ask(buyer)).isEqualTo("DEPOSIT");
    Deposit deposit = paid(buyer, 2_000);
    assertThat(ask(buyer)).isEqualTo("DEPOSIT " + deposit.id());
    assertThat(holder(deposit)).isEqualTo("free");
    assertThat(world.join(buyer)).containsExactly("JOINED 0");
    assertThat(ask(world.buyer(buyer.device(), ""))).isEqualTo("ALREADY " + buyer.session());
    world.sent("HSET", world.keys().sale(), "deposit", "");
    assertThat(ask(world.buyer())).as("never a place").isEqualTo("DEPOSIT");
  }

  @Test
  void whoOnlyAsksIsRefusedAsAJoinIs() {
    SaleWorld limited =
        SaleWorld.open(10, "slots 9 max_user 1 payment 1 deposit 1 payment_ms 60000");
    Buyer buyer = limited.buyer();
    Deposit deposit =
        new Deposit(
            limited.order().asDeposit(),
            buyer.device(),
            new Money(1, "TWD"),
            Deposit.State.PAID,
            DepositEnd.KEPT,
            Instant.EPOCH,
            Instant.EPOCH,
            "payment",
            null,
            null,
            null);
    assertThat(new PutDepositScript(limited.redis(), SaleKeys.Style.PLAIN).run(deposit).await())
        .isTrue();
    Buyer ready = limited.ready(buyer);
    assertThat(
            limited
                .scripts()
                .purchase(List.of(new Buy(ready, limited.order(ready), 1)))
                .await()
                .textAt(0))
        .startsWith("RESERVED");
    Buyer again = limited.buyer(buyer.device(), "");
    assertThat(limited.scripts().ask(again).await().textAt(0)).isEqualTo("LIMIT");
    limited.sent("HSET", limited.keys().sale(), "joins", "stopped");
    assertThat(limited.scripts().ask(limited.buyer()).await().textAt(0)).isEqualTo("STOPPED");
    assertThat(limited.configure("closed")).isEqualTo("APPLIED");
    assertThat(limited.scripts().ask(limited.buyer()).await().textAt(0)).isEqualTo("CLOSED");
  }

  @Test
  void aGuestsDepositIsFoundAfterTheSignIn() {
    Buyer guest = world.buyer();
    Deposit deposit = paid(guest, 2_000);
    Buyer signedIn = world.buyer(guest.device(), "acc_1");
    assertThat(world.join(signedIn)).containsExactly("JOINED 0");
    assertThat(holder(deposit)).isEqualTo(signedIn.session().value());
  }

  @Test
  void thePurchaseAsksForTheRestOfThePrice() {
    Buyer buyer = world.buyer();
    Deposit deposit = paid(buyer, 2_000);
    Buyer ready = world.ready(buyer);
    List<String> reply = buy(ready, 2);
    assertThat(reply.subList(3, 6)).containsExactly("17998", "TWD", "pending");
    assertThat(holder(deposit)).isEqualTo(reply.get(1));
    assertThat(end(deposit)).isEqualTo(End.ORDER);
    assertThat(world.sale("held")).isEqualTo("2");
    world.assertBalanced();
  }

  @Test
  void aDepositOfTheWholePriceMakesAPaidOrder() {
    Buyer buyer = world.buyer();
    Deposit deposit = paid(buyer, 9_999);
    List<String> reply = buy(world.ready(buyer), 1);
    assertThat(reply.subList(3, 7)).containsExactly("0", "TWD", "paid", "0");
    assertThat(end(deposit)).isEqualTo(End.ORDER);
    assertThat(world.sale("held")).isEqualTo("0");
    assertThat(world.sale("confirmed")).isEqualTo("1");
    world.assertBalanced();
  }

  @Test
  void aDepositAboveThePriceGoesBackWhole() {
    Buyer buyer = world.buyer();
    Deposit deposit = paid(buyer, 10_000);
    assertThat(buy(world.ready(buyer), 1).subList(3, 6)).containsExactly("9999", "TWD", "pending");
    assertThat(end(deposit)).isEqualTo(End.RETURN);
  }

  @Test
  void unusedDepositsEndWithTheirDrawAndThoseOfPlacesDoNot() {
    Deposit free = paid(world.buyer(), 2_000);
    Buyer buyer = world.buyer();
    Deposit used = paid(buyer, 2_000);
    assertThat(world.join(buyer)).hasSize(1);
    assertThat(script.endUnused(List.of(free.id(), used.id())).await())
        .containsExactly(End.RETURN, End.WAIT);
  }

  @Test
  void anEndedDepositBuysNothingAnyMore() {
    Buyer buyer = world.buyer();
    Deposit deposit = paid(buyer, 2_000);
    Buyer ready = world.ready(buyer);
    assertThat(script.endAtOnce(deposit.id()).await()).containsExactly(End.GONE);
    assertThat(script.endAtOnce(deposit.id()).await()).as("a repeat").containsExactly(End.GONE);
    assertThat(end(deposit)).as("the provider's message ends it").isEqualTo(End.WAIT);
    assertThat(script.endUnused(List.of(deposit.id())).await()).containsExactly(End.WAIT);
    assertThat(buy(ready, 1).get(3)).isEqualTo("9999");
    Buyer other = world.buyer();
    Deposit free = paid(other, 2_000);
    assertThat(script.endAtOnce(free.id()).await()).containsExactly(End.GONE);
    assertThat(world.join(other)).containsExactly("DEPOSIT");
    Deposit late = deposit(other, 2_000);
    assertThat(script.endAtOnce(late.id()).await()).containsExactly(End.GONE);
    assertThat(put.run(late).await()).isTrue();
    assertThat(world.join(other)).as("put after its end").containsExactly("DEPOSIT");
    Buyer third = world.buyer();
    Deposit back = paid(third, 2_000);
    assertThat(script.endUnused(List.of(back.id())).await()).containsExactly(End.RETURN);
    assertThat(world.join(third)).as("it was given back").containsExactly("DEPOSIT");
  }

  @Test
  void theEndOfAPlaceEndsItsDeposit() {
    Buyer left = world.buyer();
    Deposit ofLeft = paid(left, 1);
    assertThat(world.join(left)).hasSize(1);
    assertThat(end(ofLeft)).isEqualTo(End.WAIT);
    assertThat(world.scripts().leave(left).await().text()).startsWith("LEFT");
    assertThat(end(ofLeft)).isEqualTo(End.RETURN);
    assertThat(end(ofLeft)).as("a repeat").isEqualTo(End.RETURN);

    Buyer leftInTurn = world.buyer();
    Deposit ofTurn = paid(leftInTurn, 1);
    assertThat(world.scripts().leave(world.ready(leftInTurn)).await().text()).startsWith("LEFT");
    assertThat(end(ofTurn)).isEqualTo(End.PASSED);

    Buyer missed = world.buyer();
    Deposit ofMissed = paid(missed, 1);
    world.windowPasses(world.ready(missed));
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
    assertThat(end(ofMissed)).isEqualTo(End.PASSED);
    assertThat(end(deposit(missed, 1))).isEqualTo(End.MISSING);
  }

  @Test
  void aTurnInWhichNobodyCouldBuyIsNotPassed() {
    Buyer early = world.buyer();
    Deposit ofEarly = paid(early, 1);
    Buyer readied = world.ready(early);
    world.sent("HSET", world.keys().sale(), "jitter_ms", "10000");
    world.sent("HINCRBY", "session:" + readied.session().value(), "purchase_ready_at", "5000");
    assertThat(world.scripts().leave(readied).await().text()).startsWith("LEFT");
    assertThat(end(ofEarly)).as("its turn had not begun").isEqualTo(End.RETURN);

    Buyer paused = world.buyer();
    Deposit ofPaused = paid(paused, 1);
    Buyer waits = world.ready(paused);
    world.sent("HSET", world.keys().sale(), "state", "paused");
    assertThat(world.scripts().leave(waits).await().text()).startsWith("LEFT");
    assertThat(end(ofPaused)).isEqualTo(End.RETURN);
  }

  @Test
  void aDepositInAnotherCurrencyGoesBackWhole() {
    Buyer buyer = world.buyer();
    Deposit deposit = paid(buyer, 2_000);
    Buyer ready = world.ready(buyer);
    world.sent("HSET", world.keys().sale(), "currency", "JPY");
    assertThat(buy(ready, 1).subList(3, 6)).containsExactly("9999", "JPY", "pending");
    assertThat(end(deposit)).isEqualTo(End.RETURN);
  }

  @Test
  void aSaleThatAsksForNoDepositAnyMoreGivesFreeOnesBack() {
    Deposit free = paid(world.buyer(), 2_000);
    Buyer buyer = world.buyer();
    Deposit used = paid(buyer, 2_000);
    Buyer ready = world.ready(buyer);
    world.sent("HSET", world.keys().sale(), "deposit", "");
    assertThat(end(free)).isEqualTo(End.RETURN);
    assertThat(end(used)).as("it keeps its deposit").isEqualTo(End.WAIT);
    assertThat(buy(ready, 1).get(3)).isEqualTo("7999");
  }

  @Test
  void theEndOfTheSaleEndsFreeDepositsAndThoseOfPeopleWhoWait() {
    Buyer waits = world.buyer();
    Deposit ofWaiting = paid(waits, 1);
    assertThat(world.join(waits)).hasSize(1);
    Deposit free = paid(world.buyer(), 1);
    assertThat(end(free)).isEqualTo(End.WAIT);
    assertThat(world.configure("closed")).isEqualTo("APPLIED");
    assertThat(end(free)).isEqualTo(End.RETURN);
    assertThat(end(ofWaiting)).as("the place is ended first").isEqualTo(End.WAIT);
    assertThat(world.scripts().expire(10).await().closed()).isEqualTo(1);
    assertThat(end(ofWaiting)).isEqualTo(End.RETURN);
  }

  @Test
  void anUnverifiedSaleEndsNothingAndTakesNoDeposit() {
    Deposit deposit = paid(world.buyer(), 1);
    world.sent("HSET", world.keys().sale(), "state", "closed", "run", "another");
    assertThat(end(deposit)).isEqualTo(End.WAIT);
    assertThat(put.run(deposit(world.buyer(), 1)).await()).isFalse();
  }

  @Test
  void lateMoneyForAnOrderWithADepositGoesBack() {
    Buyer buyer = world.buyer();
    Deposit deposit = paid(buyer, 2_000);
    Buyer ready = world.ready(buyer);
    assertThat(buy(ready, 1)).hasSizeGreaterThan(6);
    OrderId order = world.order(ready);
    assertThat(world.scripts().release(ready, order, "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(world.scripts().confirm(ready, order, "late", 7_999).await().textAt(0))
        .isEqualTo("REFUND_DUE");
    assertThat(end(deposit)).isEqualTo(End.ORDER);
  }
}
