package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.queue.QueueScripts.StatusScript;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Tiers with shares of the units, in `join.lua`, `admit.lua`, `purchase.lua` and `status.lua`.
final class TierTest {
  private final long later = System.currentTimeMillis() + 3_600_000;

  private static JoinOutcome join(SaleWorld world, Buyer buyer, int tier) {
    JoinScript script = new JoinScript(world.redis());
    return script
        .run(
            world.keys(),
            script.shared(world.keys()),
            new JoinScript.Join(
                buyer.session(), null, buyer.device(), null, null, List.of("n" + tier), tier))
        .await();
  }

  private static void joinAll(SaleWorld world, List<Buyer> buyers, int tier) {
    for (Buyer buyer : buyers) {
      assertThat(join(world, buyer, tier)).isInstanceOf(JoinOutcome.Joined.class);
    }
  }

  private static SaleWorld sale(int units, String priority, String... fields) {
    String[] all = new String[fields.length + 2];
    System.arraycopy(fields, 0, all, 0, fields.length);
    all[fields.length] = "priority";
    all[fields.length + 1] = priority;
    return SaleWorld.open(units, all);
  }

  private static void admit(SaleWorld world) {
    assertThat(world.admit().textAt(0)).isEqualTo("open");
  }

  private static void policy(SaleWorld world, String... fields) {
    assertThat(world.configure("open", fields)).isEqualTo("APPLIED");
  }

  private static List<String> statuses(SaleWorld world, List<Buyer> buyers) {
    return buyers.stream().map(world::status).toList();
  }

  private static int count(List<String> texts, String wanted) {
    return (int) texts.stream().filter(wanted::equals).count();
  }

  private static String left(SaleWorld world, int tier) {
    return world.send("HGET", world.keys().sale(), "tier_" + tier + "_left").text();
  }

  @Test
  void aTierIsAdmittedFirstUpToItsShare() {
    SaleWorld world = sale(10, "40:" + later, "capacity", "100", "slots", "0", "rate", "0");
    List<Buyer> others = world.buyers(20);
    List<Buyer> members = world.buyers(10);
    joinAll(world, others, 0);
    joinAll(world, members, 1);
    admit(world);
    assertThat(count(statuses(world, members.subList(0, 4)), "active")).isEqualTo(4);
    assertThat(count(statuses(world, members.subList(4, 10)), "active")).isZero();
    assertThat(count(statuses(world, others.subList(0, 6)), "active")).isEqualTo(6);
    assertThat(count(statuses(world, others), "active")).isEqualTo(6);
    admit(world);
    assertThat(world.send("ZCARD", world.keys().active()).number()).isEqualTo(10);
  }

  @Test
  void aMemberBeyondTheShareWaitsInOrderOfArrival() {
    SaleWorld world = sale(10, "10:" + later, "capacity", "100", "slots", "0", "rate", "0");
    List<Buyer> members = world.buyers(5);
    List<Buyer> others = world.buyers(20);
    joinAll(world, members, 1);
    joinAll(world, others, 0);
    admit(world);
    assertThat(count(statuses(world, members), "active")).isEqualTo(5);
    assertThat(count(statuses(world, others), "active")).isEqualTo(5);
  }

  @Test
  void nobodyElseGetsAUnitOfATier() {
    SaleWorld world = sale(4, "50:" + later, "capacity", "100", "slots", "100", "rate", "0");
    List<Buyer> others = world.buyers(4);
    joinAll(world, others, 0);
    admit(world);
    assertThat(count(statuses(world, others), "ready_to_purchase")).isEqualTo(2);
    assertThat(world.buy(others.get(0))).startsWith("RESERVED");
    admit(world);
    assertThat(world.buy(others.get(1))).startsWith("RESERVED");
    admit(world);
    assertThat(count(statuses(world, others), "waiting")).isEqualTo(2);
    Buyer member = world.buyer();
    joinAll(world, List.of(member), 1);
    admit(world);
    assertThat(world.buy(member)).startsWith("RESERVED");
    assertThat(left(world, 1)).isEqualTo("1");
    world.assertBalanced();
  }

  @Test
  void aPurchaseOfAReservedUnitIsRefusedAndChangesNothing() {
    SaleWorld world = SaleWorld.open(1, "capacity", "100", "slots", "100", "rate", "0");
    Buyer other = world.ready();
    policy(world, "priority", "100:" + later);
    admit(world);
    var before = world.dump();
    assertThat(world.buy(other)).startsWith("TIERS");
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void whatATierLeavesGoesToTheNextAndThenToEverybody() {
    SaleWorld world =
        sale(10, "40:1000;20:" + later, "capacity", "100", "slots", "100", "rate", "0");
    admit(world);
    assertThat(left(world, 1)).isEmpty();
    assertThat(left(world, 2)).isEqualTo("6");
    policy(world, "priority", "40:1000;20:2000");
    admit(world);
    assertThat(left(world, 2)).isEmpty();
    List<Buyer> others = world.buyers(10);
    joinAll(world, others, 0);
    admit(world);
    assertThat(count(statuses(world, others), "ready_to_purchase")).isEqualTo(10);
    others.forEach(buyer -> assertThat(world.buy(buyer)).startsWith("RESERVED"));
    world.assertBalanced();
  }

  @Test
  void laterUnitsAreDividedToo() {
    SaleWorld world = sale(10, "30:" + later, "capacity", "100", "slots", "100", "rate", "0");
    admit(world);
    world.sent("INCRBY", world.keys().stock(), "10");
    world.sent("HINCRBY", world.keys().sale(), "released", "10");
    admit(world);
    assertThat(left(world, 1)).isEqualTo("6");
    admit(world);
    assertThat(left(world, 1)).isEqualTo("6");
  }

  @Test
  void aRepeatWithAnInvitationMovesAWaitingPlaceToTheTier() {
    SaleWorld world = sale(10, "40:" + later, "capacity", "100", "slots", "0", "rate", "0");
    List<Buyer> others = world.buyers(20);
    joinAll(world, others, 0);
    Buyer late = others.getLast();
    assertThat(join(world, late, 1)).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    admit(world);
    assertThat(world.status(late)).isEqualTo("active");
  }

  @Test
  void thePlaceOfAMemberLeavesNothingBehind() {
    SaleWorld world = sale(10, "40:" + later, "capacity", "100", "slots", "100", "rate", "0");
    List<Buyer> members = world.buyers(3);
    joinAll(world, members, 1);
    assertThat(world.scripts().leave(members.get(0)).await().text()).startsWith("LEFT");
    admit(world);
    assertThat(world.buy(members.get(1))).startsWith("RESERVED");
    assertThat(world.scripts().leave(members.get(2)).await().text()).startsWith("LEFT");
    assertThat(world.send("HLEN", world.keys().devices()).number()).isZero();
    assertThat(world.names()).noneMatch(name -> name.contains("queue:tier"));
  }

  @Test
  void aMemberReadsItsPositionInTheTier() {
    SaleWorld world = SaleWorld.in("paused", 10, "priority", "40:" + later);
    List<Buyer> others = world.buyers(5);
    joinAll(world, others, 0);
    Buyer member = world.buyer();
    joinAll(world, List.of(member), 1);
    Place place = new StatusScript(world.redis()).run(member.session()).await().orElseThrow();
    assertThat(place.waitingPosition()).isEqualTo(5);
    assertThat(place.tier()).isEqualTo(1);
    assertThat(place.tierPosition()).isZero();
    assertThat(place.ahead()).isEqualTo(5);
    policy(world, "priority", "40:" + later, "capacity", "0");
    admit(world);
    place = new StatusScript(world.redis()).run(member.session()).await().orElseThrow();
    assertThat(place.ahead()).isZero();
    Place other =
        new StatusScript(world.redis()).run(others.get(0).session()).await().orElseThrow();
    assertThat(other.tier()).isZero();
  }
}
