package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import fairgate.queue.JoinScript.Evidence;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// The places and units that one network may hold, in `join.lua`, `purchase.lua`, `confirm.lua` and
/// in the scripts that end places and orders.
final class NetworkLimitTest {
  private final SaleWorld world = SaleWorld.open(10);
  private final JoinScript script = new JoinScript(world.redis());
  private final CallerNetworks networks =
      new CallerNetworks(new KeyRing("k1", Map.of("k1", new byte[32])), _ -> true);

  @Test
  void anAddressHoldsItsMaximumOfPlaces() {
    limit(2, 0, 0);
    Buyer first = world.buyer();
    assertThat(join(first, "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(world.buyer(), "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(world.buyer(), "192.0.2.1")).isEqualTo(new JoinOutcome.NetworkLimitReached());
    assertThat(join(world.buyer(), "192.0.2.2")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(first, "192.0.2.1")).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
  }

  @Test
  void aNetworkHoldsItsMaximumOfPlaces() {
    limit(0, 3, 0);
    for (int host = 1; host <= 3; host++) {
      assertThat(join(world.buyer(), "192.0.2." + host)).isInstanceOf(JoinOutcome.Joined.class);
    }
    assertThat(join(world.buyer(), "192.0.2.4", Evidence.NEW))
        .isEqualTo(new JoinOutcome.NetworkLimitReached());
    assertThat(join(world.buyer(), "192.0.3.1")).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void aFullNetworkHasFiveTimesThePlacesForBrowsersThatSolvedAHarderChallenge() {
    limit(2, 2, 0);
    for (int place = 0; place < 10; place++) {
      String address = "192.0.2." + place;
      if (place >= 2) {
        Map<String, String> before = world.dump();
        assertThat(join(world.buyer(), address)).isEqualTo(new JoinOutcome.NetworkCrowded());
        assertThat(world.dump()).isEqualTo(before);
      }
      assertThat(join(world.buyer(), address, Evidence.PROVEN))
          .isInstanceOf(JoinOutcome.Joined.class);
    }
    for (Evidence any : Evidence.values()) {
      assertThat(join(world.buyer(), "192.0.2.99", any))
          .isEqualTo(new JoinOutcome.NetworkLimitReached());
    }
    limit(1, 20, 0);
    assertThat(join(world.buyer(), "192.0.2.1", Evidence.PROVEN))
        .as("the address")
        .isEqualTo(new JoinOutcome.NetworkLimitReached());
  }

  @Test
  void whoProvedItselfBuysTheUnitsOfTheWiderLimit() {
    limit(0, 1, 0);
    limitUnits(0, 1, 0);
    Buyer first = world.buyer();
    Buyer proven = world.buyer();
    assertThat(join(first, "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(proven, "192.0.2.2", Evidence.PROVEN)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(world.configure("open", "slots", "100")).isEqualTo("APPLIED");
    assertThat(world.admitReady()).hasSize(2);
    limitUnits(0, 1, 0);
    assertThat(world.buy(proven)).startsWith("RESERVED");
    assertThat(world.buy(first)).isEqualTo("NETWORK");
  }

  @Test
  void anOwnerOfManySubnetsHoldsTheMaximumOfOneSite() {
    limit(5, 20, 25);
    int joined = 0;
    for (int subnet = 0; subnet < 100; subnet++) {
      String address = "2001:db8:7:" + Integer.toHexString(subnet * 256 + subnet) + "::1";
      joined += join(world.buyer(), address) instanceof JoinOutcome.Joined ? 1 : 0;
    }
    assertThat(joined).isEqualTo(25);
  }

  @Test
  void anAddressOfIpv6IsItsSubnet() {
    limit(1, 0, 0);
    assertThat(join(world.buyer(), "2001:db8::1")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(world.buyer(), "2001:db8::2")).isEqualTo(new JoinOutcome.NetworkLimitReached());
    assertThat(join(world.buyer(), "2001:db8:0:1::1")).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void joinsOfOneBatchCountTogether() {
    limit(1, 0, 0);
    List<Buyer> buyers = world.buyers(20);
    var calls = buyers.stream().map(buyer -> call(buyer, "192.0.2.1")).toList();
    assertThat(
            calls.stream().map(call -> call.await()).filter(JoinOutcome.Joined.class::isInstance))
        .hasSize(1);
  }

  @Test
  void aRefusedJoinChangesNothing() {
    limit(1, 0, 0);
    assertThat(join(world.buyer(), "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    Map<String, String> before = world.dump();
    assertThat(join(world.buyer(), "192.0.2.1")).isEqualTo(new JoinOutcome.NetworkLimitReached());
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aPlaceThatIsGivenUpIsFree() {
    limit(1, 0, 0);
    Buyer first = world.buyer();
    assertThat(join(first, "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(world.scripts().leave(first).await().text()).startsWith("LEFT");
    assertThat(world.scripts().leave(first).await().text()).startsWith("LEFT");
    assertThat(world.send("HLEN", world.keys().devices()).number()).isZero();
    assertThat(join(world.buyer(), "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(world.buyer(), "192.0.2.1")).isEqualTo(new JoinOutcome.NetworkLimitReached());
  }

  /// A stranger got a fresh cookie for each join.
  @Test
  void anAddressThatJoinsAndLeavesAgainAndAgainHasToWait() {
    limit(2, 0, 0);
    int joined = 0;
    for (int attempt = 0; attempt < 10; attempt++) {
      Buyer buyer = world.buyer();
      if (join(buyer, "192.0.2.1") instanceof JoinOutcome.Joined) {
        joined++;
        assertThat(world.scripts().leave(buyer).await().text()).startsWith("LEFT");
      }
    }
    assertThat(joined).isEqualTo(4);
    assertThat(join(world.buyer(), "192.0.2.2")).isInstanceOf(JoinOutcome.Joined.class);
    String left = leftSoon("192.0.2.1");
    assertThat(world.send("PTTL", left).number()).isBetween(1L, 60_000L);
    world.sent("DEL", left);
    Buyer later = world.buyer();
    assertThat(join(later, "192.0.2.1")).isInstanceOf(JoinOutcome.Joined.class);
    String minutesAgo = Long.toString(world.now() - 61_000);
    world.sent("HSET", world.keys().session(later.session()), "verified_at", minutesAgo);
    assertThat(world.scripts().leave(later).await().text()).startsWith("LEFT");
    assertThat(world.send("EXISTS", left).number()).as("after a minute").isZero();
  }

  private String leftSoon(String address) {
    return "event:%s:net:%s:left"
        .formatted(
            world.product().value(), networks.of(world.product(), caller(address)).getFirst());
  }

  @Test
  void theAllowListIsNotCounted() {
    CallerNetworks allowed =
        new CallerNetworks(new KeyRing("k1", Map.of("k1", new byte[32])), _ -> false);
    assertThat(allowed.of(world.product(), caller("192.0.2.1"))).isEmpty();
    assertThat(networks.of(world.product(), Caller.NONE)).isEmpty();
  }

  @Test
  void networksHaveOtherHashesInOtherSales() {
    assertThat(networks.of(world.product(), caller("192.0.2.1")))
        .hasSize(2)
        .doesNotContainAnyElementsOf(networks.of(SaleWorld.open(1).product(), caller("192.0.2.1")));
    assertThat(networks.of(world.product(), caller("2001:db8::1"))).hasSize(3);
  }

  @Test
  void anAddressBuysItsMaximumOfUnits() {
    limitUnits(2, 0, 0);
    List<Buyer> buyers = readyFrom("192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2");
    assertThat(world.buy(buyers.get(0))).startsWith("RESERVED");
    assertThat(world.buy(buyers.get(1))).startsWith("RESERVED");
    Map<String, String> before = world.dump();
    assertThat(world.buy(buyers.get(2))).isEqualTo("NETWORK");
    assertThat(world.dump()).isEqualTo(before);
    assertThat(world.buy(buyers.get(3))).startsWith("RESERVED");
    assertThat(join(world.buyer(), "192.0.2.1")).isEqualTo(new JoinOutcome.NetworkLimitReached());
  }

  @Test
  void aNetworkAndASiteBuyTheirMaximumOfUnits() {
    limitUnits(0, 2, 3);
    List<Buyer> buyers =
        readyFrom(
            "2001:db8:7::1",
            "2001:db8:7:1::1",
            "2001:db8:7:2::1",
            "2001:db8:7:100::1",
            "2001:db8:7:200::1");
    assertThat(buyers.stream().map(world::buy).map(reply -> reply.split("\\|", -1)[0]))
        .containsExactly("RESERVED", "RESERVED", "NETWORK", "RESERVED", "NETWORK");
  }

  @Test
  void unpaidReservationsCountUntilTheyEnd() {
    limitUnits(1, 0, 0);
    assertThat(world.configure("open", "payment", "1", "payment_ms", "60000")).isEqualTo("APPLIED");
    List<Buyer> buyers = readyFrom("192.0.2.1", "192.0.2.1");
    Buyer first = buyers.get(0);
    assertThat(world.buy(first)).startsWith("RESERVED");
    assertThat(world.buy(buyers.get(1))).isEqualTo("NETWORK");
    assertThat(world.scripts().release(first, world.order(first), "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(world.buy(buyers.get(1))).startsWith("RESERVED");
  }

  @Test
  void aLatePaymentTakesNoUnitsBeyondTheLimitOfItsNetwork() {
    limitUnits(1, 0, 0);
    assertThat(world.configure("open", "payment", "1", "payment_ms", "60000")).isEqualTo("APPLIED");
    List<Buyer> buyers = readyFrom("192.0.2.1", "192.0.2.1", "192.0.2.1");
    for (Buyer buyer : buyers) {
      assertThat(world.buy(buyer)).startsWith("RESERVED");
      if (!buyer.equals(buyers.getLast())) {
        assertThat(
                world.scripts().release(buyer, world.order(buyer), "cancelled").await().textAt(0))
            .isEqualTo("RELEASED");
      }
    }
    assertThat(pay(buyers.get(0))).isEqualTo("REFUND_DUE");
    assertThat(pay(buyers.get(2))).isEqualTo("CONFIRMED");
    assertThat(pay(buyers.get(1))).isEqualTo("REFUND_DUE");
    world.assertBalanced();
  }

  @Test
  void aLatePaymentTakesUnitsThatItsNetworkMayStillHave() {
    limitUnits(1, 0, 0);
    assertThat(world.configure("open", "payment", "1", "payment_ms", "60000")).isEqualTo("APPLIED");
    Buyer buyer = readyFrom("192.0.2.1").getFirst();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
    assertThat(world.scripts().release(buyer, world.order(buyer), "cancelled").await().textAt(0))
        .isEqualTo("RELEASED");
    assertThat(pay(buyer)).isEqualTo("LATE");
    assertThat(join(world.buyer(), "192.0.2.1")).isEqualTo(new JoinOutcome.NetworkLimitReached());
  }

  private String pay(Buyer buyer) {
    return world
        .scripts()
        .confirm(buyer, world.order(buyer), "pay-" + buyer.session().value(), 9_999)
        .await()
        .textAt(0);
  }

  private List<Buyer> readyFrom(String... addresses) {
    List<Buyer> buyers = world.buyers(addresses.length);
    for (int i = 0; i < addresses.length; i++) {
      assertThat(join(buyers.get(i), addresses[i])).isInstanceOf(JoinOutcome.Joined.class);
    }
    assertThat(world.configure("open", "slots", "100")).isEqualTo("APPLIED");
    assertThat(world.admit().texts())
        .containsAll(buyers.stream().map(buyer -> buyer.session().value()).toList());
    return buyers;
  }

  private void limitUnits(int address, int network, int site) {
    set("units_ip", address);
    set("units_net", network);
    set("units_site", site);
  }

  private void limit(int address, int network, int site) {
    set("places_ip", address);
    set("places_net", network);
    set("places_site", site);
  }

  private void set(String field, int value) {
    var _ = world.send("HSET", world.keys().sale(), field, Integer.toString(value));
  }

  private static Caller caller(String address) {
    return new Caller(Objects.requireNonNull(ClientAddress.parse(address)), "", null, null, null);
  }

  private Future<JoinOutcome> call(Buyer buyer, String address) {
    return call(buyer, address, Evidence.COOKIE);
  }

  private Future<JoinOutcome> call(Buyer buyer, String address, Evidence evidence) {
    JoinScript.Join join =
        new JoinScript.Join(
            buyer.session(),
            null,
            buyer.device(),
            null,
            null,
            networks.of(world.product(), caller(address)),
            0);
    return script.run(world.keys(), script.shared(world.keys()), join.with(evidence));
  }

  private JoinOutcome join(Buyer buyer, String address, Evidence evidence) {
    return call(buyer, address, evidence).await();
  }

  private JoinOutcome join(Buyer buyer, String address) {
    return call(buyer, address).await();
  }
}
