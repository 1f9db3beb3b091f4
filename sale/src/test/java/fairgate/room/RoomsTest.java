package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RoomsTest {
  @Test
  void aLoadThatBeganEarlierReplacesNoLaterOne() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      Rooms rooms = world.rooms.rooms();
      assertThat(rooms.find(world.id)).isPresent();
      rooms.adopt(0, Rooms.Snapshot.of("0 0", Map.of(), Map.of()));
      assertThat(rooms.find(world.id)).isPresent();
      assertThat(rooms.delete(world.id)).isTrue();
      assertThat(rooms.find(world.id)).isEmpty();
    }
  }

  @Test
  void aRoomThatCannotBeReadHidesOnlyItself() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      String broken = world.id + "-broken";
      RoomWorld.sql(
          "INSERT INTO rooms SELECT (jsonb_populate_record(r, '{\"id\": \"%s\", \"settings\": {\"mode\": \"x\"}}')).*"
                  .formatted(broken)
              + " FROM rooms r WHERE id = '%s'".formatted(world.id));
      try (RoomWorld other = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
        assertThat(other.rooms.rooms().findOrReload(world.id)).isPresent();
        assertThat(other.rooms.rooms().findOrReload(broken)).isEmpty();
      }
      RoomWorld.sql("DELETE FROM rooms WHERE id = '%s'".formatted(broken));
    }
  }
}
