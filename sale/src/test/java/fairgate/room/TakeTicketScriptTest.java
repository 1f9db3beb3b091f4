package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.room.RoomWorld.Visitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
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

  private static TakeTicketScript script(RoomWorld world) {
    return new TakeTicketScript(world.redis, Duration.ofMinutes(5));
  }

  private static TakeTicketScript.Word word(RoomWorld world, String browser) {
    return script(world).run(new RoomStateKeys(world.id), browser, null, false).await().word();
  }

  @Test
  void aChallengeIsUsedUpByOneTicket() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      RoomStateKeys keys = new RoomStateKeys(world.id);
      SingleUse once = new SingleUse("nonce", Duration.ofMinutes(2));
      assertThat(script(world).run(keys, "a", once, false).await().word())
          .isEqualTo(TakeTicketScript.Word.TICKET);
      assertThat(script(world).run(keys, "a", once, false).await().word())
          .isEqualTo(TakeTicketScript.Word.AGAIN);
      assertThat(script(world).run(keys, "b", once, false).await().word())
          .isEqualTo(TakeTicketScript.Word.CHALLENGE_USED);
      assertThat(world.redis.send("PTTL", keys.prefix() + "challenge:nonce").await().number())
          .isPositive();
    }
  }

  @Test
  void aRoomThatIsOffHasEndedOrIsUnknownGivesNoTicket() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      assertThat(script(world).run(new RoomStateKeys("unknown"), "a", null, false).await().word())
          .isEqualTo(TakeTicketScript.Word.NO_ROOM);
      world.put(RoomWorld.on(1, 1, ", \"closes_at\": \"2020-01-01T00:00:00Z\""));
      world.move();
      assertThat(word(world, "a")).isEqualTo(TakeTicketScript.Word.ENDED);
      world.put(RoomWorld.on(1, 1, "").replace("\"on\"", "\"off\""));
      world.move();
      assertThat(word(world, "a")).isEqualTo(TakeTicketScript.Word.OFF);
    }
  }
}
