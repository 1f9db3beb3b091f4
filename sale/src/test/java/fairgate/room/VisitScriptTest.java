package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomService.VisitScript;
import fairgate.room.RoomWorld.Visitor;
import fairgate.room.token.RoomClaims;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VisitScriptTest {
  @Test
  void aVisitorEntersOnceWithTheOwnSecret() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(10, 100, ""))) {
      Visitor visitor = world.join(1);
      assertThat(world.tryEnter(visitor)).isEqualTo("NOT_YOUR_TURN");
      world.move();
      Visitor thief = new Visitor(visitor.place(), RoomWorld.secret(2), visitor.ticket());
      assertThat(world.tryEnter(thief)).isEqualTo("INVALID_PLACE_TOKEN");
      EntryOutcome.Admitted replaced = (EntryOutcome.Admitted) world.enter(visitor);
      EntryOutcome.Admitted turn = (EntryOutcome.Admitted) world.enter(visitor);
      RoomService service = world.rooms.service();
      assertThat(service.exchange(world.room(), replaced.token()).await())
          .isInstanceOf(EntryOutcome.Refused.class);
      EntryOutcome.Admitted pass =
          (EntryOutcome.Admitted) service.exchange(world.room(), turn.token()).await();
      assertThat(service.exchange(world.room(), turn.token()).await())
          .isInstanceOf(EntryOutcome.Refused.class);
      assertThat(service.pass(world.room(), pass.token())).contains(pass.claims());
      assertThat(service.pass(world.room(), turn.token())).isEmpty();
      assertThat(service.pass(world.room(), visitor.place())).isEmpty();
    }
  }

  @Test
  void aVisitorWhoseAnswerWasLostEntersAgainInTheSameSlot() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor visitor = world.join(1);
      Visitor next = world.join(2);
      world.move();
      RoomStateKeys keys = new RoomStateKeys(world.id);
      RoomClaims lost = world.pass(visitor).claims();
      String end = world.redis.send("ZSCORE", keys.inside(), "0").await().text();
      RoomClaims pass = world.pass(visitor).claims();
      assertThat(pass.ticket()).isEqualTo(lost.ticket());
      assertThat(world.redis.send("ZCARD", keys.inside()).await().number()).isEqualTo(1);
      assertThat(Double.parseDouble(world.redis.send("ZSCORE", keys.inside(), "0").await().text()))
          .as("the pass that was lost is still covered by the slot")
          .isGreaterThanOrEqualTo(Double.parseDouble(end));
      world.move();
      assertThat(world.tryEnter(next)).isEqualTo("NOT_YOUR_TURN");
      // Two minutes later, or when the pass was prolonged, the answer has arrived for sure.
      var _ = world.redis.send("HSET", keys.exchanged(), "0", "1000").await();
      assertThat(world.tryEnter(visitor)).isEqualTo("ALREADY_INSIDE");
    }
  }

  /// Else somebody who only ever asks for the turn would hold the slot for ever.
  @Test
  void aTurnThatIsGivenAgainDoesNotProlongTheVisitAndCountsOnce() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomStateKeys keys = new RoomStateKeys(world.id);
      assertThat(world.tryEnter(visitor)).isEqualTo("ENTER");
      String end = world.redis.send("ZSCORE", keys.inside(), "0").await().text();
      Eventually.await(
          "the clock has moved",
          () -> {
            assertThat(world.tryEnter(visitor)).isEqualTo("ENTER");
            return Double.parseDouble(end) < System.currentTimeMillis() + 120_000.0;
          });
      assertThat(world.redis.send("ZSCORE", keys.inside(), "0").await().text()).isEqualTo(end);
      var _ = world.pass(visitor);
      var _ = world.pass(visitor);
      assertThat(world.state("entered")).isEqualTo("1");
    }
  }

  @Test
  void whoHasProlongedAPassDoesNotEnterAgain() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      // The waiting page was opened once more.
      EntryOutcome.Admitted again = (EntryOutcome.Admitted) world.enter(visitor);
      assertThat(
              new VisitScript(world.redis)
                  .run(
                      world.id,
                      VisitScript.Action.RENEW,
                      pass.epoch(),
                      pass.ticket(),
                      "",
                      RoomWorld.LONG)
                  .await())
          .isEqualTo(VisitScript.Word.PASS);
      assertThat(world.rooms.service().exchange(world.room(), again.token()).await())
          .as("a turn from before is void")
          .isInstanceOf(EntryOutcome.Refused.class);
      assertThat(world.tryEnter(visitor)).isEqualTo("ALREADY_INSIDE");
      Void _ = world.rooms.service().release(world.room(), pass).await();
      assertThat(world.tryEnter(visitor)).isEqualTo("PLACE_GONE");
    }
  }

  @Test
  void aReleasedSlotGoesToTheNextAndItsPassIsRevokedOnAllNodes() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""));
        RoomWorld other = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
      Visitor first = world.join(1);
      Visitor second = world.join(2);
      world.move();
      EntryOutcome.Admitted pass = world.pass(first);
      world.move();
      assertThat(world.tryEnter(second)).isEqualTo("NOT_YOUR_TURN");
      Void _ = world.rooms.service().release(world.room(), pass.claims()).await();
      Eventually.await(
          "the second enters",
          () -> {
            world.move();
            return world.tryEnter(second).equals("ENTER");
          });
      other.move();
      for (RoomWorld node : List.of(world, other)) {
        assertThat(node.rooms.service().pass(node.room(), pass.token())).isEmpty();
      }
    }
  }

  @Test
  void releasesAtTheSameTimeRevokeOnce() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      List<Future<Void>> releases = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        releases.add(world.rooms.service().release(world.room(), pass));
      }
      var _ = Future.all(releases).await();
      RoomStateKeys keys = new RoomStateKeys(world.id);
      assertThat(world.redis.send("XLEN", keys.revoked()).await().number()).isEqualTo(1);
    }
  }

  @Test
  void aPassInUseIsProlongedUntilTheAbsoluteEnd() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ", \"session_minutes\": 10"))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      assertThat(pass.expiresAt() - pass.issuedAt()).isEqualTo(600);
      long old = pass.issuedAt() - 3_500;
      RoomClaims late =
          new RoomClaims(
              pass.room(), pass.epoch(), pass.ticket(), null, pass.id(), old, old + 3_550, old);
      EntryOutcome.Admitted renewed =
          (EntryOutcome.Admitted) world.rooms.service().renew(world.room(), late).await();
      assertThat(renewed.claims().expiresAt()).isEqualTo(old + 3_600);
    }
  }

  @Test
  void aVisitThatIsOverIsNotProlonged() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      VisitScript script = new VisitScript(world.redis);
      assertThat(
              script
                  .run(
                      world.id,
                      VisitScript.Action.RENEW,
                      pass.epoch(),
                      pass.ticket(),
                      "",
                      RoomWorld.LONG)
                  .await())
          .isEqualTo(VisitScript.Word.PASS);
      assertThat(
              script
                  .run(
                      world.id,
                      VisitScript.Action.RENEW,
                      pass.epoch() + 8,
                      pass.ticket(),
                      "",
                      RoomWorld.LONG)
                  .await())
          .isEqualTo(VisitScript.Word.EPOCH);
      assertThat(
              script
                  .run(
                      world.id,
                      VisitScript.Action.END,
                      pass.epoch(),
                      pass.ticket(),
                      "",
                      RoomWorld.LONG)
                  .await())
          .isEqualTo(VisitScript.Word.ENDED);
      assertThat(
              script
                  .run(
                      world.id,
                      VisitScript.Action.RENEW,
                      pass.epoch(),
                      pass.ticket(),
                      "",
                      RoomWorld.LONG)
                  .await())
          .isEqualTo(VisitScript.Word.OVER);
    }
  }
}
