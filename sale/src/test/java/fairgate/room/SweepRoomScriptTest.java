package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomWorld.Visitor;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepRoomScriptTest {
  private static final Duration PERIOD = Duration.ofMillis(200);

  private static RoomWorld open() {
    RoomConfig config =
        new RoomConfig(
            PERIOD, RoomWorld.LONG, RoomWorld.LONG, Duration.ofMinutes(2), RoomWorld.LONG);
    return RoomWorld.open(RoomWorld.on(1, 0.01, ""), config);
  }

  private static boolean isGone(RoomWorld world, Visitor visitor) {
    return GoneTickets.read(world.redis, new RoomStateKeys(world.id), 0)
        .await()
        .isGone((int) visitor.ticket());
  }

  @Test
  void aVisitorWhoIsNotHeardForThreePeriodsIsGoneAndTheOthersStay() {
    try (RoomWorld world = open()) {
      for (int browser = 0; browser < 8; browser++) {
        world.join(browser);
      }
      Visitor present = world.join(20);
      Visitor absent = world.join(21);
      Visitor last = world.join(22);
      Eventually.await(
          "the absent one is gone",
          () -> {
            for (Visitor one : List.of(present, last)) {
              assertThat(world.rooms.places().here(world.room(), one.place()).await()).isNull();
            }
            world.move();
            return isGone(world, absent);
          });
      assertThat(isGone(world, present)).isFalse();
      assertThat(isGone(world, last)).isFalse();
      assertThat(world.join(21).ticket()).isEqualTo(11);
    }
  }

  @Test
  void nobodyIsGoneWhileNobodyCanBeHeard() {
    try (RoomWorld world = open()) {
      Visitor visitor = world.join(1);
      long until = System.nanoTime() + PERIOD.multipliedBy(10).toNanos();
      Eventually.await(
          "ten periods have passed",
          () -> {
            world.move();
            return System.nanoTime() - until > 0;
          });
      assertThat(isGone(world, visitor)).isFalse();
      assertThat(world.rooms.places().here(world.room(), visitor.place()).await()).isNull();
      world.move();
      assertThat(isGone(world, visitor)).isFalse();
    }
  }
}
