package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// What the missed turns of a network cost its other places, in `expire.lua`, `leave.lua`,
/// `admit.lua` and `purchase.lua`.
final class MissedTurnsTest {
  private static final String ADDRESS = "192.0.2.1";
  private static final String OTHER = "198.51.100.1";

  private final SaleWorld world = SaleWorld.open(10, "slots 1");
  private final CallerNetworks networks =
      new CallerNetworks(new KeyRing("k1", Map.of("k1", new byte[32])), _ -> true);

  MissedTurnsTest() {
    limitPlaces("5");
  }

  private void limitPlaces(String number) {
    world.sent("HSET", world.keys().sale(), "places_ip", number, "places_net", number);
  }

  private List<Buyer> join(int places, String address) {
    List<Buyer> all = world.buyers(places);
    for (Buyer one : all) {
      assertThat(join(one, address, JoinScript.Evidence.COOKIE))
          .isInstanceOf(JoinOutcome.Joined.class);
    }
    aMillisecondPasses();
    return all;
  }

  private JoinOutcome join(Buyer one, String address, JoinScript.Evidence evidence) {
    JoinScript script = new JoinScript(world.redis());
    Caller caller =
        new Caller(Objects.requireNonNull(ClientAddress.parse(address)), "", null, null, null);
    JoinScript.Join join =
        new JoinScript.Join(
            one.session(), null, one.device(), null, null, networks.of(world.product(), caller), 0);
    return script.run(world.keys(), script.shared(world.keys()), join.with(evidence)).await();
  }

  private void aMillisecondPasses() {
    long now = world.now();
    SaleWorld.await(() -> world.now() > now);
  }

  /// Runs passes until the place has its turn.
  private void expectTurn(Buyer buyer) {
    List<String> ready = new ArrayList<>();
    for (int pass = 0; pass < 10 && ready.isEmpty(); pass++) {
      ready.addAll(world.admitReady());
    }
    assertThat(ready).containsExactly(buyer.session().value());
  }

  private void missesTurn(Buyer buyer) {
    world.windowPasses(buyer);
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
    aMillisecondPasses();
  }

  private void buys(Buyer buyer) {
    expectTurn(buyer);
    assertThat(world.buy(buyer)).startsWith("RESERVED");
  }

  @Test
  void aMissedTurnPutsTheOtherPlacesOfItsNetworkBehindOthersOnce() {
    List<Buyer> idle = join(3, ADDRESS);
    List<Buyer> people = join(2, OTHER);
    expectTurn(idle.get(0));
    missesTurn(idle.get(0));
    buys(people.get(0));
    buys(people.get(1));
    Buyer later = join(1, OTHER).getFirst();
    expectTurn(idle.get(1));
    missesTurn(idle.get(1));
    buys(later);
    expectTurn(idle.get(2));
    long window = Long.parseLong(world.session(idle.get(2), "purchase_timeout_at")) - world.now();
    assertThat(window).as("a whole window").isGreaterThan(Duration.ofSeconds(200).toMillis());
  }

  @Test
  void aPurchaseOfTheNetworkMakesUpForTheMissedTurn() {
    List<Buyer> some = join(3, ADDRESS);
    expectTurn(some.get(0));
    missesTurn(some.get(0));
    buys(some.get(1));
    Buyer later = join(1, OTHER).getFirst();
    buys(some.get(2));
    buys(later);
  }

  @Test
  void aPlaceThatJoinedAfterTheMissedTurnKeepsItsOrder() {
    Buyer idle = join(1, ADDRESS).getFirst();
    expectTurn(idle);
    missesTurn(idle);
    Buyer next = join(1, ADDRESS).getFirst();
    Buyer last = join(1, OTHER).getFirst();
    buys(next);
    buys(last);
  }

  @Test
  void whoWaitsGoesFirstAlsoWhereOnlyOneIsActive() {
    assertThat(world.configure("open", "capacity", "1", "slots", "1")).isEqualTo("APPLIED");
    limitPlaces("5");
    List<Buyer> idle = join(2, ADDRESS);
    Buyer person = join(1, OTHER).getFirst();
    expectTurn(idle.get(0));
    missesTurn(idle.get(0));
    buys(person);
    expectTurn(idle.get(1));
  }

  @Test
  void theFirstPersonOfTheWaitingListIsServedBeforeTheOtherPlacesOfTheNetwork() {
    List<Buyer> idle = join(3, ADDRESS);
    long registered = world.now();
    ListTurnScript list = new ListTurnScript(world.redis(), SaleKeys.Style.PLAIN);
    expectTurn(idle.get(0));
    missesTurn(idle.get(0));
    assertThat(isTurn(list, registered)).as("they are active").isFalse();
    for (int pass = 0; pass < 3; pass++) {
      assertThat(world.admitReady()).isEmpty();
    }
    assertThat(isTurn(list, registered)).isTrue();
    assertThat(list.nobody(world.product()).await()).isFalse();
    expectTurn(idle.get(1));
  }

  private boolean isTurn(ListTurnScript list, long since) {
    ListTurnScript.Registration first =
        new ListTurnScript.Registration(Instant.ofEpochMilli(since), Seat.IN_ORDER);
    return list.first(
            world.product(), first, 1, new ListTurnScript.Registrations(1, List.of(first)))
        .await();
  }

  @Test
  void givingUpATurnLateIsMissingItAndGivingItUpAtOnceIsNot() {
    for (boolean isLate : new boolean[] {false, true}) {
      List<Buyer> some = join(2, ADDRESS);
      Buyer person = join(1, OTHER).getFirst();
      expectTurn(some.get(0));
      if (isLate) {
        String minuteAgo = Long.toString(world.now() - 60_000);
        String session = world.keys().session(some.get(0).session());
        world.sent("HSET", session, "purchase_ready_at", minuteAgo);
      }
      assertThat(world.scripts().leave(some.get(0)).await().text()).startsWith("LEFT");
      aMillisecondPasses();
      buys(isLate ? person : some.get(1));
      buys(isLate ? some.get(1) : person);
    }
  }

  @Test
  void aSaleWithoutLimitsOfNetworksKeepsItsOrder() {
    limitPlaces("0");
    List<Buyer> some = join(2, ADDRESS);
    Buyer person = join(1, OTHER).getFirst();
    expectTurn(some.get(0));
    missesTurn(some.get(0));
    buys(some.get(1));
    buys(person);
  }

  /// Else whoever drops the cookie after a missed turn or an unpaid order has no pause.
  @Test
  void callersWithoutACookiePauseWithTheirAddress() {
    assertThat(world.configure("open", "slots", "1", "cooldown_s", "60")).isEqualTo("APPLIED");
    limitPlaces("5");
    Buyer idle = join(1, ADDRESS).getFirst();
    expectTurn(idle);
    missesTurn(idle);
    assertThat(join(world.buyer(), ADDRESS, JoinScript.Evidence.NEW))
        .isInstanceOfSatisfying(
            JoinOutcome.CoolingDown.class,
            pause -> {
              assertThat(pause.missedTurn()).isTrue();
              assertThat(pause.retryAfter())
                  .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60));
            });
    assertThat(join(world.buyer(), OTHER, JoinScript.Evidence.NEW))
        .isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(world.buyer(), ADDRESS, JoinScript.Evidence.COOKIE))
        .as("another browser at the address")
        .isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void anUnpaidOrderPausesCallersWithoutACookieToo() {
    assertThat(
            world.configure(
                "open", "slots", "1", "cooldown_s", "60", "payment", "1", "payment_ms", "60000"))
        .isEqualTo("APPLIED");
    limitPlaces("5");
    Buyer buyer = join(1, ADDRESS).getFirst();
    buys(buyer);
    assertThat(world.scripts().release(buyer, world.order(buyer), "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(join(world.buyer(), ADDRESS, JoinScript.Evidence.NEW))
        .isInstanceOfSatisfying(
            JoinOutcome.CoolingDown.class, pause -> assertThat(pause.missedTurn()).isFalse());
  }
}
