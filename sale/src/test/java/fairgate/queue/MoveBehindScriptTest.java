package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.ProductId;
import fairgate.queue.QueueScripts.MoveBehindScript;
import fairgate.queue.QueueScripts.ReseatScript;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MoveBehindScriptTest {
  private static final String DECISION = "decision";

  private final SaleWorld world = SaleWorld.open(10, "capacity", "1", "slots", "1", "rate", "0");

  private boolean move(ProductId product, Buyer buyer, String decision, Seat seat) {
    return new MoveBehindScript(world.redis())
        .run(world.keys(), product, buyer.session(), decision, seat)
        .await();
  }

  private boolean move(Buyer buyer) {
    return move(world.product(), buyer, DECISION, Seat.BEHIND);
  }

  private List<String> members(String queue) {
    return world.send("ZRANGE", queue, "0", "-1").texts();
  }

  @Test
  void aReadyPlaceLosesItsTurnToThoseWhoWaitAndToLaterOnes() {
    Buyer risky = world.ready();
    Buyer other = world.buyer();
    var _ = world.join(other);
    assertThat(move(risky)).isTrue();
    Buyer later = world.buyer();
    var _ = world.join(later);
    assertThat(members(world.keys().waiting()))
        .containsExactly(other.session().value(), later.session().value(), risky.session().value());
    assertThat(members(world.keys().active())).isEmpty();
    assertThat(members(world.keys().ready())).isEmpty();
    assertThat(world.status(risky)).isEqualTo("waiting");
    assertThat(world.session(risky, "seat")).isEqualTo("behind");
    assertThat(world.send("EXISTS", world.keys().lock(risky.session())).number()).isZero();
    assertThat(world.buy(risky)).startsWith("NOT_");
    var _ = world.admit();
    assertThat(world.status(other)).as("the next one has the turn").isEqualTo("ready_to_purchase");
  }

  @Test
  void aPlaceKeepsItsNextTurn() {
    Buyer risky = world.ready();
    assertThat(move(risky)).isTrue();
    var _ = world.admit();
    assertThat(world.status(risky)).isEqualTo("ready_to_purchase");
    Map<String, String> before = world.dump();
    assertThat(move(risky)).isFalse();
    assertThat(world.dump()).isEqualTo(before);
    assertThat(world.buy(risky)).startsWith("RESERVED");
    world.assertBalanced();
  }

  @Test
  void aReviewMovesThePlaceBackAndItKeepsItsTurn() {
    Buyer risky = world.ready();
    Buyer other = world.buyer();
    var _ = world.join(other);
    assertThat(move(world.product(), risky, DECISION, Seat.HELD)).isTrue();
    assertThat(new ReseatScript(world.redis()).run(world.keys(), DECISION, Seat.IN_ORDER).await())
        .isEqualTo(new ReseatScript.Reseated(Seat.Move.MOVED, risky.session()));
    assertThat(members(world.keys().waiting()))
        .containsExactly(other.session().value(), risky.session().value());
    var _ = world.admit();
    assertThat(world.buy(other)).startsWith("RESERVED");
    var _ = world.admit();
    assertThat(world.status(risky)).isEqualTo("ready_to_purchase");
    assertThat(move(world.product(), risky, "another", Seat.BEHIND)).isFalse();
  }

  @Test
  void aPlaceWithoutATurnInTheSaleIsNotTouched() {
    Buyer ready = world.ready();
    Buyer waiting = world.buyer();
    var _ = world.join(waiting);
    Map<String, String> before = world.dump();
    assertThat(move(waiting)).as("it waits").isFalse();
    assertThat(move(new ProductId("1"), ready, DECISION, Seat.BEHIND))
        .as("the turn is that of another sale")
        .isFalse();
    assertThat(move(world.buyer())).as("there is no place").isFalse();
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aPlaceThatCannotBuyNowKeepsItsTurn() {
    Buyer risky = world.ready();
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    Map<String, String> before = world.dump();
    assertThat(move(risky)).as("the sale is paused").isFalse();
    assertThat(world.dump()).isEqualTo(before);
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    world.windowPasses(risky);
    before = world.dump();
    assertThat(move(risky)).as("the window is over").isFalse();
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aPlaceOfATierFreesTheUnitsThatAreReservedForItAndWaitsInItsTier() {
    Buyer risky = world.ready();
    world.sent("HSET", world.keys().session(risky.session()), "tier", "1", "lane", "1");
    world.sent("HSET", world.keys().devices(), "lane:1", "1");
    assertThat(move(risky)).isTrue();
    assertThat(world.send("HEXISTS", world.keys().devices(), "lane:1").number()).isZero();
    assertThat(members(world.keys().waiting().replace("queue:waiting:", "queue:tier:1:")))
        .containsExactly(risky.session().value());
  }
}
