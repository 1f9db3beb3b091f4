package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomWorld.Visitor;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// The order before an opening is drawn once, in a room that has admitted nobody. Another opening
/// is refused instead of being served by arrival.
class SecondDrawTest {
  private final Instant past = Instant.now().minusSeconds(60);
  private final Instant later = Instant.now().plusSeconds(3_600);

  private static String shuffled(Instant opening) {
    return RoomWorld.on(
        1, 1_000, ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"".formatted(opening));
  }

  private static boolean isRefused(RoomWorld world, String settings) {
    return world.change(settings) instanceof Rooms.Change.CannotDraw;
  }

  @Test
  void aRoomThatHasOpenedGetsNoOpeningWithADraw() {
    try (RoomWorld world = RoomWorld.open(shuffled(later))) {
      world.join(1);
      world.put(shuffled(later.plusSeconds(60)));
      world.put(shuffled(past));
      world.move();
      assertThat(world.state("drawn")).isEqualTo("1");
      assertThat(isRefused(world, shuffled(later))).isTrue();
      // Settings without a draw, or with the same one, can be changed.
      world.put(shuffled(past).replace("\"capacity\": 1,", "\"capacity\": 2,"));
      world.put(RoomWorld.on(1, 1_000, ", \"opens_at\": \"%s\"".formatted(later)));
      world.put(RoomWorld.on(1, 1_000, ", \"pre_queue\": \"shuffle\""));
      assertThat(isRefused(world, shuffled(later))).isTrue();
      world.put(RoomWorld.on(1, 1_000, "").replace("\"on\"", "\"off\""));
      assertThat(isRefused(world, shuffled(later))).isTrue();
    }
  }

  @Test
  void aRoomWithVisitorsInsideIsNotShuffled() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      assertThat(isRefused(world, shuffled(past))).isTrue();
      assertThat(isRefused(world, shuffled(later))).isTrue();
    }
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor first = world.join(1);
      world.move();
      world.pass(first);
      Visitor second = world.join(2);
      Room room = world.room();
      Room.Opening opening = new Room.Opening(past, null, Room.PreQueue.SHUFFLE);
      // A setting from before the rule.
      Room shuffled =
          new Room(
              room.id(),
              room.rules(),
              room.sale(),
              room.mode(),
              room.admission(),
              opening,
              room.failure(),
              room.look(),
              room.challenge(),
              room.limits(),
              room.algorithm(),
              room.epoch(),
              room.version());
      AdvanceRoomScript script =
          new AdvanceRoomScript(world.redis, RoomWorld.config(RoomWorld.LONG));
      assertThat(script.run(new PostgresRooms.Stored(shuffled, false, 1), 10).await())
          .isInstanceOfSatisfying(
              AdvanceRoomScript.Run.Moved.class, run -> assertThat(run.toDraw()).isZero());
      assertThat(world.state("cursor")).isEqualTo("1");
      assertThat(second.ticket()).isEqualTo(1);
    }
  }

  @Test
  void aRoomOnStandbyAdmitsBeforeTheOpeningAndIsNotDrawn() {
    String standby = shuffled(later).replace("\"on\"", "\"standby\"");
    try (RoomWorld world = RoomWorld.open(shuffled(later))) {
      assertThat(isRefused(world, standby)).isTrue();
      world.put(RoomWorld.on(1, 1_000, "").replace("\"on\"", "\"standby\""));
      assertThat(isRefused(world, shuffled(later))).isTrue();
    }
  }
}
