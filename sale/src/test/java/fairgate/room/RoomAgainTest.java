package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomWorld.Visitor;
import fairgate.testkit.Eventually;
import org.junit.jupiter.api.Test;

/// Rooms that are created again with the id of a deleted one.
class RoomAgainTest {
  private static final String SETTINGS = RoomWorld.on(2, 1_000, "");

  @Test
  void nothingOfADeletedRoomIsValidInOneWithItsId() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      Visitor first = world.join(1);
      Visitor waiting = world.join(2);
      world.move();
      EntryOutcome.Admitted pass = world.pass(first);
      Eventually.await(
          "the turn of the second has come",
          () -> {
            world.move();
            return world.enter(waiting) instanceof EntryOutcome.Admitted;
          });
      EntryOutcome.Admitted turn = (EntryOutcome.Admitted) world.enter(waiting);
      Void _ = world.rooms.service().release(world.room(), pass.claims()).await();
      world.move();
      long epoch = world.room().epoch();
      for (int again = 0; again < 3; again++) {
        assertThat(world.rooms.rooms().delete(world.id)).isTrue();
        world.put(SETTINGS);
        world.move();
        assertThat(world.room().epoch()).isGreaterThan(epoch);
        epoch = world.room().epoch();
        assertThat(world.state("epoch")).isEqualTo(Long.toString(epoch));
        assertThat(world.rooms.service().pass(world.room(), pass.token())).isEmpty();
        assertThat(world.tryEnter(waiting)).isEqualTo("INVALID_PLACE_TOKEN");
        assertThat(world.rooms.service().exchange(world.room(), turn.token()).await())
            .isInstanceOf(EntryOutcome.Refused.class);
        // It begins without visitors.
        assertThat(world.join(3).ticket()).isZero();
        assertThat(world.join(2).ticket()).isEqualTo(1);
        world.move();
        EntryOutcome.Admitted fresh = world.pass(world.join(3));
        assertThat(world.rooms.service().pass(world.room(), fresh.token())).isPresent();
      }
    }
  }

  @Test
  void aNewEpochKeepsThoseWhoWait() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      world.join(1);
      Visitor waiting = world.join(2);
      var _ = world.rooms.rooms().beginEpoch(world.id, "test");
      world.move();
      assertThat(world.join(2).ticket()).isEqualTo(waiting.ticket());
    }
  }
}
