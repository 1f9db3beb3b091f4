package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.queue.WinnerPlaces.Seat;
import fairgate.queue.WinnerPlaces.State;
import fairgate.queue.WinnerPlaces.Winner;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class SeatWinnersScriptTest {
  private final SaleWorld world = sale("open");
  private final WinnerPlaces places = places(world);

  private static SaleWorld sale(String state) {
    return SaleWorld.in(
        state, 10, "shuffle", "draw", "max_quantity", "4", "max_user", "4", "slots", "1");
  }

  private static WinnerPlaces places(SaleWorld world) {
    return new WinnerPlaces(world.redis(), QueueFeature.Config.defaults(), null);
  }

  private Winner winner(Buyer buyer, int units) {
    return winner(buyer, units, world.now() + 60_000);
  }

  private static Winner winner(Buyer buyer, int units, long endsAt) {
    return new Winner(
        buyer.session(),
        buyer.device(),
        buyer.account().isEmpty() ? null : buyer.account(),
        units,
        endsAt);
  }

  @CanIgnoreReturnValue
  private List<Seat> seat(Winner... winners) {
    return places.seat(world.product(), List.of(winners));
  }

  private List<State> states(Buyer... buyers) {
    return places.states(world.product(), Stream.of(buyers).map(Buyer::session).toList());
  }

  private String buy(Buyer buyer, int quantity) {
    return world
        .scripts()
        .purchase(List.of(new SaleScripts.Buy(buyer, world.order(buyer), quantity)))
        .await()
        .textAt(0);
  }

  @Test
  void winnersAreReadyAtOnceAndInTheirOrder() {
    List<Buyer> buyers = world.buyers(5);
    Winner[] winners = buyers.stream().map(buyer -> winner(buyer, 1)).toArray(Winner[]::new);
    assertThat(seat(winners)).containsOnly(Seat.SEATED);
    assertThat(world.send("ZRANGE", world.keys().active(), "0", "-1").texts())
        .isEqualTo(buyers.stream().map(buyer -> buyer.session().value()).toList());
    buyers.forEach(buyer -> assertThat(world.status(buyer)).isEqualTo("ready_to_purchase"));
    assertThat(buy(buyers.get(3), 1)).startsWith("RESERVED|");
    world.assertBalanced();
  }

  @Test
  void aRepeatChangesNothingAlsoAfterThePurchase() {
    Buyer buyer = world.buyer("device", "acc_1");
    assertThat(seat(winner(buyer, 1))).containsExactly(Seat.SEATED);
    var before = world.dump();
    assertThat(seat(winner(buyer, 1))).containsExactly(Seat.SAME);
    assertThat(world.dump()).isEqualTo(before);
    assertThat(buy(buyer, 1)).startsWith("RESERVED|");
    assertThat(seat(winner(buyer, 1))).containsExactly(Seat.SAME);
    assertThat(world.status(buyer)).isEqualTo("purchased");
  }

  @Test
  void theDepositOfAWinnerCountsTowardsThePrice() {
    world.sent("HSET", world.keys().sale(), "deposit", "1", "payment", "1", "payment_ms", "60000");
    Buyer guest = world.buyer();
    Buyer user = world.buyer("device", "acc_1");
    Buyer without = world.buyer();
    String deposits = world.keys().deposits();
    world.sent(
        "HSET",
        deposits,
        "order_1_u1",
        "free",
        guest.device(),
        "order_1_u1 1000",
        "order_1_u1:currency",
        "TWD");
    world.sent(
        "HSET",
        deposits,
        "order_1_u2",
        "free",
        "acc_1",
        "order_1_u2 2000",
        "order_1_u2:currency",
        "TWD");
    assertThat(seat(winner(guest, 1), winner(user, 1), winner(without, 1)))
        .containsOnly(Seat.SEATED);
    assertThat(seat(winner(guest, 1))).containsExactly(Seat.SAME);
    assertThat(world.send("HGET", deposits, "order_1_u1").text())
        .isEqualTo(guest.session().value());
    assertThat(buy(guest, 1)).contains("|8999|TWD|pending|");
    assertThat(buy(user, 1)).contains("|7999|TWD|pending|");
    assertThat(buy(without, 1)).contains("|9999|TWD|pending|");
  }

  @Test
  void aWinnerBuysAtMostTheUnitsOfItsEntry() {
    Buyer buyer = world.buyer();
    seat(winner(buyer, 2));
    assertThat(buy(buyer, 3)).isEqualTo("QUANTITY|2");
    assertThat(buy(buyer, 2)).startsWith("RESERVED|");
    assertThat(states(buyer)).containsExactly(new State.Bought(2));
  }

  @Test
  void nobodyIsSeatedTooLateOrInAClosedSale() {
    Buyer late = world.buyer();
    assertThat(seat(winner(late, 1, world.now()))).containsExactly(Seat.OVER);
    assertThat(states(late)).containsExactly(new State.Unknown());
    SaleWorld closed = sale("closed");
    Buyer buyer = closed.buyer();
    assertThat(
            places(closed).seat(closed.product(), List.of(winner(buyer, 1, closed.now() + 60_000))))
        .containsExactly(Seat.NOT_OPEN);
    assertThat(closed.names()).doesNotContain(closed.keys().session(buyer.session()));
  }

  @Test
  void theFirstOfAWaitingListGetsNoTurnBeforeAnActivePlace() {
    SaleWorld queue = SaleWorld.open(1, "slots 1");
    Buyer active = queue.buyer();
    assertThat(queue.join(active)).singleElement().asString().startsWith("JOINED");
    assertThat(queue.admitReady()).containsExactly(active.session().value());
    Buyer person = queue.buyer();
    Winner offer = winner(person, 1, queue.now() + 60_000);
    var before = queue.dump();
    assertThat(places(queue).seatFirst(queue.product(), offer)).isEqualTo(Seat.NOT_FIRST);
    assertThat(queue.dump()).isEqualTo(before);
    assertThat(queue.buy(active)).startsWith("RESERVED");
    assertThat(places(queue).seatFirst(queue.product(), offer)).isEqualTo(Seat.SEATED);
    assertThat(places(queue).seatFirst(queue.product(), offer)).isEqualTo(Seat.SAME);
  }

  @Test
  void nothingIsCertainWhileTheSaleWasNotComparedWithTheLedger() {
    Buyer buyer = world.buyer();
    seat(winner(buyer, 1));
    world.sent("HSET", world.keys().sale(), "run", "another run");
    assertThat(states(buyer, world.buyer())).containsOnly(new State.Open());
    assertThat(seat(winner(world.buyer(), 1))).containsExactly(Seat.NOT_OPEN);
  }

  @Test
  void nobodyJoinsASaleByDraw() {
    assertThat(world.join(world.buyer())).containsExactly("DRAW");
  }
}
