package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.kernel.SessionId;
import fairgate.queue.QueueScripts.ReseatScript;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReseatScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity", "1", "slots", "0", "rate", "0");

  private Buyer joined(Seat seat) {
    Buyer buyer = world.buyer();
    JoinScript script = new JoinScript(world.redis());
    JoinOutcome outcome =
        script
            .run(
                world.keys(),
                script.shared(world.keys()),
                new JoinScript.Join(
                    buyer.session(),
                    null,
                    buyer.device(),
                    null,
                    null,
                    List.of(),
                    seat == Seat.HELD ? 1 : 0,
                    seat,
                    seat == Seat.IN_ORDER ? "" : decision(buyer),
                    JoinScript.Evidence.COOKIE))
            .await();
    assertThat(outcome).isInstanceOf(JoinOutcome.Joined.class);
    return buyer;
  }

  private static String decision(Buyer buyer) {
    return "decision of " + buyer.device();
  }

  private Optional<SessionId> reseat(Buyer buyer, Seat seat) {
    return Optional.ofNullable(run(buyer, seat).session());
  }

  private ReseatScript.Reseated run(Buyer buyer, Seat seat) {
    return new ReseatScript(world.redis()).run(world.keys(), decision(buyer), seat).await();
  }

  private List<String> waiting() {
    return world.send("ZRANGE", world.keys().waiting(), "0", "-1").texts();
  }

  private static List<String> ids(Buyer... buyers) {
    return List.of(buyers).stream().map(buyer -> buyer.session().value()).toList();
  }

  @Test
  void aReleasedPlaceIsWhereItWouldHaveBeenAndARepeatChangesNothing() {
    Buyer first = joined(Seat.IN_ORDER);
    Buyer risky = joined(Seat.BEHIND);
    Buyer later = joined(Seat.IN_ORDER);
    assertThat(waiting()).isEqualTo(ids(first, later, risky));
    assertThat(run(risky, Seat.IN_ORDER))
        .isEqualTo(new ReseatScript.Reseated(Seat.Move.MOVED, risky.session()));
    assertThat(waiting()).isEqualTo(ids(first, risky, later));
    Map<String, String> before = world.dump();
    assertThat(run(risky, Seat.IN_ORDER))
        .isEqualTo(new ReseatScript.Reseated(Seat.Move.SAME, risky.session()));
    assertThat(world.dump()).isEqualTo(before);
    assertThat(reseat(risky, Seat.HELD)).contains(risky.session());
    assertThat(waiting()).isEqualTo(ids(first, later, risky));
  }

  @Test
  void aHeldPlaceIsAdmittedOnceItIsReleased() {
    Buyer held = joined(Seat.HELD);
    assertThat(world.admit().at(1).number()).isZero();
    assertThat(world.status(held)).isEqualTo("waiting");
    assertThat(reseat(held, Seat.BEHIND)).contains(held.session());
    assertThat(world.admit().at(1).number()).isEqualTo(1);
    assertThat(world.status(held)).isEqualTo("active");
  }

  @Test
  void aDecisionWithoutAWaitingPlaceMovesNothing() {
    Buyer never = world.buyer();
    assertThat(reseat(never, Seat.IN_ORDER)).isEmpty();
    Buyer behind = joined(Seat.BEHIND);
    assertThat(world.admit().at(1).number()).isEqualTo(1);
    assertThat(reseat(behind, Seat.HELD)).as("an admitted place").isEmpty();
    assertThat(world.status(behind)).isEqualTo("active");
    Buyer left = joined(Seat.BEHIND);
    assertThat(world.scripts().leave(left).await().text()).startsWith("LEFT");
    assertThat(reseat(left, Seat.IN_ORDER)).as("a place that was given up").isEmpty();
    assertThat(waiting()).isEmpty();
  }

  @Test
  void aPlaceOfATierMovesInItsTierAsWell() {
    Buyer held = joined(Seat.HELD);
    String queue = world.keys().waiting().replace("queue:waiting:", "queue:tier:1:");
    double before = Double.parseDouble(world.send("ZSCORE", queue, held.session().value()).text());
    assertThat(reseat(held, Seat.IN_ORDER)).contains(held.session());
    double after = Double.parseDouble(world.send("ZSCORE", queue, held.session().value()).text());
    // A score near 8e12 is exact to a thousandth.
    assertThat(before - after).isCloseTo(6e12, within(0.01));
    assertThat(world.send("ZSCORE", world.keys().waiting(), held.session().value()).text())
        .isEqualTo(world.send("ZSCORE", queue, held.session().value()).text());
  }
}
