package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.queue.WinnerPlaces.Seat;
import fairgate.queue.WinnerPlaces.State;
import fairgate.queue.WinnerPlaces.Winner;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class WinnerStatesScriptTest {
  private final SaleWorld world =
      SaleWorld.in("open", 10, "shuffle", "draw", "payment", "1", "payment_ms", "60000");
  private final WinnerPlaces places =
      new WinnerPlaces(world.redis(), QueueFeature.Config.defaults(), null);

  private void seat(Buyer... buyers) {
    List<Winner> winners =
        Stream.of(buyers)
            .map(
                buyer -> new Winner(buyer.session(), buyer.device(), null, 1, world.now() + 60_000))
            .toList();
    assertThat(places.seat(world.product(), winners)).containsOnly(Seat.SEATED);
  }

  private List<State> states(Buyer... buyers) {
    return places.states(world.product(), Stream.of(buyers).map(Buyer::session).toList());
  }

  @Test
  void offersThatAreOverTellWhy() {
    Buyer waits = world.buyer();
    Buyer misses = world.buyer();
    Buyer leaves = world.buyer();
    seat(waits, misses, leaves);
    world.windowPasses(misses);
    assertThat(world.scripts().expire(10).await().missed()).isOne();
    assertThat(world.scripts().leave(leaves).await().text()).startsWith("LEFT");
    assertThat(states(waits, misses, leaves, world.buyer()))
        .containsExactly(
            new State.Open(),
            new State.Ended("window"),
            new State.Ended("left"),
            new State.Unknown());
  }

  @Test
  void anOrderThatIsNotPaidYetIsOpen() {
    Buyer buyer = world.buyer();
    seat(buyer);
    SaleScripts.Buy purchase = new SaleScripts.Buy(buyer, world.order(buyer), 1);
    assertThat(world.scripts().purchase(List.of(purchase)).await().textAt(0))
        .startsWith("RESERVED|");
    assertThat(states(buyer)).containsExactly(new State.Open());
  }
}
