package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.DeviceId;
import fairgate.room.token.RoomClaims;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ReportStockScriptTest {
  private static final double LEARN = -1;

  private static double report(RoomWorld world, long left, double told) {
    return world
        .rooms
        .stock()
        .report(world.id, left, told < 0 ? OptionalDouble.empty() : OptionalDouble.of(told))
        .await()
        .share();
  }

  private static void enter(RoomWorld world, int visitors) {
    Object _ =
        world
            .redis
            .send(
                "HINCRBY",
                new RoomStateKeys(world.id).state(),
                "entered",
                Integer.toString(visitors))
            .await();
  }

  @Test
  void theShareIsLearnedFromEntriesSinceTheFirstReport() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      enter(world, 500);
      assertThat(report(world, 1_000, LEARN)).isEqualTo(1);
      enter(world, 19);
      assertThat(report(world, 990, LEARN)).as("too few have entered").isEqualTo(1);
      enter(world, 1);
      assertThat(report(world, 990, LEARN)).isEqualTo(0.5);
      assertThat(report(world, 990, LEARN)).as("a repeat sells nothing").isEqualTo(0.5);
      assertThat(report(world, 2_000, LEARN)).as("new stock is no sale").isEqualTo(0.5);
      assertThat(report(world, 1_990, LEARN)).isEqualTo(1);
    }
  }

  @Test
  void aShareThatIsToldIsUsedAndAllAreWithinBounds() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      assertThat(report(world, 100_000, 0.25)).isEqualTo(0.25);
      enter(world, 20);
      assertThat(report(world, 100_000, LEARN)).isEqualTo(0.01);
      assertThat(report(world, 0, LEARN)).isEqualTo(100);
    }
  }

  @Test
  void aVisitBelongsToTheFirstBrowserThatAsks() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      long epoch = world.room().epoch();
      RoomClaims pass = new RoomClaims(world.id, epoch, 7, null, "AAAAAAAAAAAAAAAAAAAAAA", 1, 2, 1);
      RoomClaims next = new RoomClaims(world.id, epoch, 8, null, "AAAAAAAAAAAAAAAAAAAAAA", 1, 2, 1);
      DeviceId one = new DeviceId("%022d".formatted(1));
      DeviceId other = new DeviceId("%022d".formatted(2));
      assertThat(world.rooms.owners().own(world.room(), pass, one).await()).isTrue();
      assertThat(world.rooms.owners().own(world.room(), pass, one).await()).isTrue();
      assertThat(world.rooms.owners().own(world.room(), pass, other).await()).isFalse();
      assertThat(world.rooms.owners().own(world.room(), next, other).await()).isTrue();
    }
  }
}
