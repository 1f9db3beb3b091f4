package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.SessionId;
import fairgate.queue.QueueScripts.ReseatScript;
import fairgate.queue.QueueScripts.StatusScript;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Places seated behind others, in `join.lua`, `admit.lua`, `status.lua` and `reseat.lua`.
final class SeatTest {
  private static final List<Seat> SEATS = List.of(Seat.IN_ORDER, Seat.BEHIND, Seat.HELD);
  private static final String DECISION = "decision-0123456789abc";

  private final SaleWorld world = SaleWorld.open(10, "capacity", "1", "slots", "0", "rate", "0");
  private final JoinScript script = new JoinScript(world.redis());

  private JoinOutcome join(Buyer buyer, Seat seat, String decision) {
    return join(world, buyer, seat, decision, 0);
  }

  private JoinOutcome join(SaleWorld in, Buyer buyer, Seat seat, String decision, int tier) {
    return script
        .run(
            in.keys(),
            script.shared(in.keys()),
            new JoinScript.Join(
                buyer.session(),
                null,
                buyer.device(),
                null,
                null,
                List.of(),
                tier,
                seat,
                decision,
                JoinScript.Evidence.COOKIE))
        .await();
  }

  private int position(Buyer buyer) {
    return place(buyer).waitingPosition();
  }

  private Place place(Buyer buyer) {
    return new StatusScript(world.redis()).run(buyer.session()).await().orElseThrow();
  }

  private Optional<SessionId> reseat(String decision, Seat seat) {
    return Optional.ofNullable(
        new ReseatScript(world.redis()).run(world.keys(), decision, seat).await().session());
  }

  private void admitOne() {
    assertThat(world.admit().textAt(0)).isEqualTo("open");
  }

  private int joined(Buyer buyer, Seat seat) {
    String decision = seat == Seat.IN_ORDER ? "" : DECISION + buyer.device();
    return ((JoinOutcome.Joined) join(buyer, seat, decision)).position();
  }

  @Test
  void aRiskyPlaceIsBehindLaterArrivalsAndItsPositionSaysSo() {
    Buyer first = world.buyer();
    Buyer risky = world.buyer();
    Buyer later = world.buyer();
    assertThat(joined(first, Seat.IN_ORDER)).isZero();
    assertThat(joined(risky, Seat.BEHIND)).isEqualTo(1);
    assertThat(position(risky)).isEqualTo(1);
    assertThat(joined(later, Seat.IN_ORDER)).isEqualTo(1);
    assertThat(List.of(position(first), position(later), position(risky))).containsExactly(0, 1, 2);
    assertThat(place(risky).seat()).isEqualTo("behind");
    assertThat(place(risky).decision()).isEqualTo(DECISION + risky.device());
    assertThat(place(first).seat()).isEmpty();
  }

  @Test
  void aPlaceBehindIsAdmittedAfterTheOthers() {
    Buyer risky = world.buyer();
    Buyer other = world.buyer();
    assertThat(joined(risky, Seat.BEHIND)).isZero();
    assertThat(joined(other, Seat.IN_ORDER)).isZero();
    admitOne();
    assertThat(world.status(other)).isEqualTo("active");
    assertThat(world.status(risky)).isEqualTo("waiting");
    assertThat(world.configure("open", "capacity", "2")).isEqualTo("APPLIED");
    admitOne();
    assertThat(world.status(risky)).isEqualTo("active");
  }

  @Test
  void aPlaceBehindIsAdmittedForUnitsThatNobodyInFrontCanStillTake() {
    assertThat(world.configure("open", "capacity", "20", "max_quantity", "4")).isEqualTo("APPLIED");
    Buyer first = world.buyer();
    Buyer front = world.buyer();
    Buyer risky = world.buyer();
    Buyer last = world.buyer();
    assertThat(joined(risky, Seat.BEHIND)).isZero();
    assertThat(joined(last, Seat.BEHIND)).isEqualTo(1);
    assertThat(joined(first, Seat.IN_ORDER)).isZero();
    assertThat(joined(front, Seat.IN_ORDER)).isEqualTo(1);
    admitOne();
    assertThat(List.of(world.status(first), world.status(front))).containsOnly("active");
    assertThat(List.of(world.status(risky), world.status(last)))
        .as("two in front can take 8 of 10 units")
        .containsOnly("waiting");
    assertThat(world.scripts().leave(first).await().text()).startsWith("LEFT");
    admitOne();
    assertThat(world.status(risky)).as("4 of 10 units are free for it").isEqualTo("active");
    assertThat(world.status(last)).as("2 are left").isEqualTo("waiting");
    assertThat(world.scripts().leave(front).await().text()).startsWith("LEFT");
    admitOne();
    assertThat(world.status(last)).as("nobody is in front").isEqualTo("active");
    for (Buyer buyer : List.of(risky, last)) {
      assertThat(world.scripts().leave(buyer).await().text()).startsWith("LEFT");
    }
    assertThat(world.send("HLEN", world.keys().devices()).number()).isZero();
  }

  @Test
  void aPlaceBehindWaitsTheFirstSecondsAfterTheOpening() {
    Buyer risky = world.buyer();
    assertThat(joined(risky, Seat.BEHIND)).isZero();
    assertThat(world.configure("open", "opens_at", Long.toString(world.now() - 1_000)))
        .isEqualTo("APPLIED");
    admitOne();
    assertThat(world.status(risky)).isEqualTo("waiting");
    assertThat(world.configure("open", "opens_at", Long.toString(world.now() - 10_000)))
        .isEqualTo("APPLIED");
    admitOne();
    assertThat(world.status(risky)).isEqualTo("active");
  }

  @Test
  void aHeldPlaceIsNotAdmittedUntilItIsReleased() {
    Buyer held = world.buyer();
    Buyer behind = world.buyer();
    assertThat(joined(held, Seat.HELD)).isZero();
    assertThat(joined(behind, Seat.BEHIND)).isZero();
    assertThat(position(held)).isEqualTo(1);
    assertThat(world.configure("open", "capacity", "5")).isEqualTo("APPLIED");
    admitOne();
    assertThat(world.status(behind)).isEqualTo("active");
    admitOne();
    assertThat(world.status(held)).isEqualTo("waiting");
    assertThat(reseat(DECISION + held.device(), Seat.BEHIND)).contains(held.session());
    admitOne();
    assertThat(world.status(held)).isEqualTo("active");
  }

  @Test
  void aRepeatOfLowerRiskMovesToTheEndOfTheOthersAndOneOfHigherRiskChangesNothing() {
    Buyer risky = world.buyer();
    Buyer other = world.buyer();
    assertThat(joined(risky, Seat.HELD)).isZero();
    assertThat(joined(other, Seat.IN_ORDER)).isZero();
    assertThat(join(risky, Seat.BEHIND, "second")).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(place(risky).seat()).isEqualTo("behind");
    assertThat(place(risky).decision()).isEqualTo("second");
    assertThat(reseat(DECISION + risky.device(), Seat.IN_ORDER)).isEmpty();
    assertThat(join(risky, Seat.IN_ORDER, "")).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(List.of(position(other), position(risky))).containsExactly(0, 1);
    assertThat(place(risky).seat()).isEmpty();
    assertThat(join(risky, Seat.BEHIND, "third")).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(place(risky).seat()).isEmpty();
    Buyer last = world.buyer();
    assertThat(joined(last, Seat.IN_ORDER)).isEqualTo(2);
  }

  @Test
  void aSeatIsNotHandedOnToAPlaceThatTheCallerOnlyKnows() {
    Buyer risky = world.buyer();
    Buyer friend = world.buyer();
    assertThat(joined(risky, Seat.BEHIND)).isZero();
    assertThat(
            script
                .run(
                    world.keys(),
                    script.shared(world.keys()),
                    new JoinScript.Join(
                        friend.session(),
                        risky.session(),
                        friend.device(),
                        null,
                        null,
                        List.of(),
                        0))
                .await())
        .isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(place(risky).seat()).isEqualTo("behind");
  }

  @Test
  void manyPlacesOfOneRunAreInOrderOfTheirSeats() {
    List<Buyer> buyers = world.buyers(30);
    var all =
        buyers.stream()
            .map(
                buyer -> {
                  Seat seat = SEATS.get(buyers.indexOf(buyer) % 3);
                  return script.run(
                      world.keys(),
                      script.shared(world.keys()),
                      new JoinScript.Join(
                          buyer.session(),
                          null,
                          buyer.device(),
                          null,
                          null,
                          List.of(),
                          0,
                          seat,
                          seat == Seat.IN_ORDER ? "" : buyer.device(),
                          JoinScript.Evidence.COOKIE));
                })
            .toList();
    all.forEach(one -> assertThat(one.await()).isInstanceOf(JoinOutcome.Joined.class));
    for (int i = 0; i < 30; i++) {
      assertThat(position(buyers.get(i))).isEqualTo(i % 3 * 10 + i / 3);
    }
  }

  @Test
  void beforeAShuffledOpeningSeatsHoldAsWell() {
    SaleWorld early = SaleWorld.in("paused", 10, "shuffle", "1");
    Buyer risky = early.buyer();
    assertThat(((JoinOutcome.Joined) join(early, risky, Seat.BEHIND, DECISION, 0)).position())
        .isEqualTo(-1);
    List<Buyer> others = early.buyers(20);
    for (Buyer other : others) {
      assertThat(join(early, other, Seat.IN_ORDER, "", 0)).isInstanceOf(JoinOutcome.Joined.class);
    }
    List<String> order = early.send("ZRANGE", early.keys().waiting(), "0", "-1").texts();
    assertThat(order).hasSize(21).last().isEqualTo(risky.session().value());
  }

  @Test
  void aPlaceThatEndsLeavesNothingOfItsDecision() {
    Buyer risky = world.buyer();
    assertThat(joined(risky, Seat.BEHIND)).isZero();
    assertThat(world.scripts().leave(risky).await().text()).startsWith("LEFT");
    assertThat(world.send("HLEN", world.keys().devices()).number()).isZero();
  }
}
