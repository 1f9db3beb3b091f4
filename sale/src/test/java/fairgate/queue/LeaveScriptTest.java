package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.queue.QueueScripts.LeaveScript;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LeaveScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity 2");
  private final LeaveScript script = new LeaveScript(world.redis());

  private LeaveOutcome leave(Buyer buyer) {
    return script.run(buyer.session()).await();
  }

  private LeaveOutcome changesNothing(Buyer buyer) {
    Map<String, String> before = world.dump();
    LeaveOutcome outcome = leave(buyer);
    assertThat(world.dump()).isEqualTo(before);
    return outcome;
  }

  @Test
  void everyLivePlaceCanBeGivenUp() {
    List<Buyer> all = world.buyers(3);
    assertThat(world.join(all)).hasSize(3);
    assertThat(world.admit().size()).isPositive();
    assertThat(all.stream().map(world::status))
        .containsExactly("ready_to_purchase", "active", "waiting");
    for (Buyer buyer : all) {
      String id = buyer.session().value();
      assertThat(leave(buyer)).isEqualTo(new LeaveOutcome.Left(world.product()));
      for (String queue :
          List.of(world.keys().waiting(), world.keys().active(), world.keys().ready())) {
        assertThat(world.send("ZSCORE", queue, id).isNil()).isTrue();
      }
      assertThat(world.send("EXISTS", world.keys().lock(buyer.session())).number()).isZero();
      assertThat(world.session(buyer, "queue_status")).isEqualTo("expired");
      assertThat(world.session(buyer, "ended")).isEqualTo("left");
      assertThat(world.send("HEXISTS", world.keys().devices(), buyer.device()).number()).isZero();
      assertThat(world.send("TTL", world.keys().session(buyer.session())).number()).isPositive();
    }
  }

  @Test
  void aRepeatChangesNothingAndSaysTheSame() {
    Buyer buyer = world.ready();
    assertThat(leave(buyer)).isEqualTo(new LeaveOutcome.Left(world.product()));
    assertThat(changesNothing(buyer)).isEqualTo(new LeaveOutcome.Left(world.product()));
  }

  @Test
  void aLateRepeatLeavesTheNewPlaceOfTheDeviceAlone() {
    Buyer buyer = world.ready();
    assertThat(leave(buyer)).isEqualTo(new LeaveOutcome.Left(world.product()));
    Buyer again = world.ready(world.buyer(buyer.device(), ""));
    assertThat(changesNothing(buyer)).isEqualTo(new LeaveOutcome.Left(world.product()));
    assertThat(world.status(again)).isEqualTo("ready_to_purchase");
  }

  @Test
  void theNextOneMovesUp() {
    Buyer first = world.ready();
    Buyer next = world.buyer();
    assertThat(world.join(next)).hasSize(1);
    assertThat(leave(first)).isEqualTo(new LeaveOutcome.Left(world.product()));
    assertThat(world.admit().texts()).contains(next.session().value());
  }

  @Test
  void whoBoughtHasNoPlaceToGiveUp() {
    Buyer buyer = world.ready();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
    assertThat(changesNothing(buyer)).isEqualTo(new LeaveOutcome.NotInQueue());
  }

  @Test
  void whoseWindowEndedHasNoPlaceToGiveUp() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
    assertThat(changesNothing(buyer)).isEqualTo(new LeaveOutcome.NotInQueue());
  }

  @Test
  void nothingIsKnownOfASessionNobodyMade() {
    assertThat(changesNothing(world.buyer())).isEqualTo(new LeaveOutcome.UnknownSession());
  }
}
