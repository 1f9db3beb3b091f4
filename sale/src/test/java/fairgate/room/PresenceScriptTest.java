package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import fairgate.room.RoomPlaces.PresenceScript;
import fairgate.room.RoomWorld.Visitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PresenceScriptTest {
  @Test
  void whoLeavesIsGoneAndCountsNoMore() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      List<Visitor> all = new ArrayList<>();
      for (int browser = 0; browser < 10; browser++) {
        all.add(world.join(browser));
      }
      world.freshHead();
      for (int gone : List.of(3, 4, 7)) {
        assertThat(
                world.rooms.places().leave(world.room(), world.possession(all.get(gone))).await())
            .isNull();
        assertThat(world.rooms.places().here(world.room(), all.get(gone).place()).await())
            .isEqualTo(ErrorCode.PLACE_GONE);
      }
      world.freshHead();
      assertThat(world.number("cursor")).isEqualTo(1);
      assertThat(world.number("last")).isEqualTo(10);
      assertThat(world.head().get("gone")).isEqualTo(List.of(3L));
      assertThat(world.join(3).ticket()).isEqualTo(10);
    }
  }

  @Test
  void aTicketThatDoesNotExistAndAnUnknownDrawAreNotRecorded() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      PresenceScript script = new PresenceScript(world.redis, Duration.ofMinutes(5));
      RoomStateKeys keys = new RoomStateKeys(world.id);
      Visitor visitor = world.join(1);
      assertThat(script.here(keys, visitor.ticket(), 0).await())
          .isEqualTo(PresenceScript.Word.HERE);
      assertThat(script.here(keys, 99, 0).await()).isEqualTo(PresenceScript.Word.NO_ROOM);
      assertThat(script.leave(keys, 99, 0).await())
          .as("Redis may have lost it: there is nothing to give up")
          .isEqualTo(PresenceScript.Word.GONE);
      assertThat(script.leave(keys, visitor.ticket(), 3).await())
          .isEqualTo(PresenceScript.Word.BUSY);
      assertThat(script.leave(keys, visitor.ticket(), 0).await())
          .isEqualTo(PresenceScript.Word.LEFT);
      assertThat(script.leave(keys, visitor.ticket(), 0).await())
          .isEqualTo(PresenceScript.Word.GONE);
    }
  }
}
