package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomWorld.Visitor;
import fairgate.room.TakeTicketScript.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TakeTicketScriptTest {
  @Test
  void ticketsAreDenseAndInOrderOfArrival() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      List<Long> tickets = new ArrayList<>();
      for (int browser = 0; browser < 20; browser++) {
        tickets.add(world.join(browser).ticket());
      }
      assertThat(tickets).isEqualTo(LongStream.range(0, 20).boxed().toList());
    }
  }

  @Test
  void aBrowserThatJoinsAgainKeepsItsTicket() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      Visitor first = world.join(1);
      Visitor other = world.join(2);
      assertThat(world.join(1).ticket()).isEqualTo(first.ticket());
      assertThat(world.join(2).ticket()).isEqualTo(other.ticket());
      assertThat(world.state("next")).isEqualTo("2");
    }
  }

  @Test
  void aBrowserGetsNoSecondTicketWhileItsVisitGoesOn() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(5, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      EntryOutcome.Admitted inside = world.pass(visitor);
      assertThat(world.take(1))
          .isEqualTo(new TicketOutcome.Refused(Refusal.of(ErrorCode.ALREADY_INSIDE)));
      assertThat(world.state("next")).isEqualTo("1");
      Void _ = world.rooms.service().release(world.room(), inside.claims()).await();
      assertThat(world.join(1).ticket()).isEqualTo(1);
    }
  }

  private static final Room.PlaceLimits NONE = new Room.PlaceLimits(null, null);

  private static TakeTicketScript.Word word(RoomWorld world, String room, Call call) {
    return new TakeTicketScript(world.redis, Duration.ofMinutes(5))
        .run(new RoomStateKeys(room), NONE, call)
        .await()
        .word();
  }

  private static Call call(String browser, @Nullable SingleUse once) {
    return new Call(browser, once, List.of(), List.of());
  }

  private static TakeTicketScript.Word word(RoomWorld world, String browser) {
    return word(world, world.id, call(browser, null));
  }

  @Test
  void aChallengeIsUsedUpByOneTicket() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      RoomStateKeys keys = new RoomStateKeys(world.id);
      SingleUse once = new SingleUse("nonce", Duration.ofMinutes(2));
      assertThat(word(world, world.id, call("a", once))).isEqualTo(TakeTicketScript.Word.TICKET);
      assertThat(word(world, world.id, call("a", once))).isEqualTo(TakeTicketScript.Word.AGAIN);
      assertThat(word(world, world.id, call("b", once)))
          .isEqualTo(TakeTicketScript.Word.CHALLENGE_USED);
      assertThat(world.redis.send("PTTL", keys.prefix() + "challenge:nonce").await().number())
          .isPositive();
    }
  }

  @Test
  void aBrowserIsFoundHoweverManyTicketsWereGivenSince() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      assertThat(world.join(1).ticket()).isZero();
      world.set("next", 3L << 20);
      assertThat(world.join(1).ticket()).isZero();
      assertThat(world.join(2).ticket()).isEqualTo(3L << 20);
    }
  }

  @Test
  void aRoomThatIsOffHasEndedOrIsUnknownGivesNoTicket() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      assertThat(word(world, "unknown", call("a", null))).isEqualTo(TakeTicketScript.Word.NO_ROOM);
      world.put(RoomWorld.on(1, 1, ", \"closes_at\": \"2020-01-01T00:00:00Z\""));
      world.move();
      assertThat(word(world, "a")).isEqualTo(TakeTicketScript.Word.ENDED);
      world.put(RoomWorld.on(1, 1, "").replace("\"on\"", "\"off\""));
      world.move();
      assertThat(word(world, "a")).isEqualTo(TakeTicketScript.Word.OFF);
    }
  }
}
