package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomService.EnterRoomScript;
import fairgate.room.RoomWorld.Visitor;
import fairgate.testkit.Eventually;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EnterRoomScriptTest {
  @Test
  void aVisitorWhoComesLateTakesTheSlotOfTheLastOneWhoHasNotEntered() {
    Duration short_ = Duration.ofMillis(1);
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""), RoomWorld.config(short_))) {
      Visitor absent = world.join(1);
      Visitor next = world.join(2);
      Eventually.await(
          "the turn of the second has come",
          () -> {
            world.move();
            return world.state("cursor").equals("2");
          });
      try (RoomWorld slow = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
        assertThat(world.tryEnter(absent)).isEqualTo("ENTER");
        assertThat(slow.tryEnter(next)).isEqualTo("NOT_YOUR_TURN");
      }
    }
  }

  private static EnterRoomScript.Word enter(RoomWorld world, Room room, long ticket, int drawn) {
    return new EnterRoomScript(world.redis, RoomWorld.config(RoomWorld.LONG))
        .run(room, ticket, "turn", drawn)
        .await();
  }

  @Test
  void everyRefusalIsToldByItsWord() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Room room = world.room();
      world.join(1);
      world.join(2);
      assertThat(enter(world, room, 0, 0)).isEqualTo(EnterRoomScript.Word.NOT_YET);
      world.move();
      assertThat(enter(world, room, 0, 7)).isEqualTo(EnterRoomScript.Word.BUSY);
      assertThat(enter(world, room, 0, 0)).isEqualTo(EnterRoomScript.Word.ENTER);
      assertThat(enter(world, room, 1, 0)).isEqualTo(EnterRoomScript.Word.NOT_YET);
      assertThat(world.rooms.rooms().beginEpoch(world.id, "test")).isPresent();
      assertThat(enter(world, world.room(), 1, 0)).isEqualTo(EnterRoomScript.Word.EPOCH);
      world.put(RoomWorld.on(1, 1, "").replace("\"on\"", "\"off\""));
      world.move();
      assertThat(enter(world, world.room(), 1, 0)).isEqualTo(EnterRoomScript.Word.OFF);
      var _ = world.redis.send("DEL", new RoomStateKeys(world.id).state()).await();
      assertThat(enter(world, room, 1, 0)).isEqualTo(EnterRoomScript.Word.NO_ROOM);
    }
  }

  @Test
  void nobodyEntersBeforeAnOpeningThatWasMovedAhead() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(5, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      assertThat(world.state("cursor")).isEqualTo("1");
      world.put(RoomWorld.on(5, 1_000, ", \"opens_at\": \"2099-01-01T00:00:00Z\""));
      world.move();
      assertThat(world.tryEnter(visitor)).isEqualTo("NOT_YOUR_TURN");
      world.put(RoomWorld.on(5, 1_000, ""));
      world.move();
      assertThat(world.tryEnter(visitor)).isEqualTo("ENTER");
    }
  }

  @Test
  void aGoneTicketDoesNotEnter() {
    try (RoomWorld world =
        RoomWorld.open(RoomWorld.on(5, 1_000, ""), RoomWorld.config(Duration.ofMillis(1)))) {
      Visitor visitor = world.join(1);
      world.move();
      assertThat(world.rooms.places().leave(world.room(), world.possession(visitor)).await())
          .isNull();
      assertThat(world.tryEnter(visitor)).isEqualTo("PLACE_GONE");
    }
  }
}
