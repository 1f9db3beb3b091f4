package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DeleteRoomScriptTest {
  private static final String SETTINGS = RoomWorld.on(2, 1_000, "");

  private static List<String> keys(RoomWorld world) {
    return world.redis.send("KEYS", new RoomStateKeys(world.id).prefix() + "*").await().texts();
  }

  @Test
  void redisKeepsNothingOfADeletedRoom() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      for (int browser = 0; browser < 5; browser++) {
        world.join(browser);
      }
      world.move();
      world.pass(world.join(0));
      world.freshHead();
      world.set("next", 900L * GoneTickets.BLOCK);
      world.allGone(899);
      assertThat(world.rooms.rooms().delete(world.id)).isTrue();
      world.rooms.deleted().pass();
      assertThat(keys(world)).as("work of one pass is bounded").isNotEmpty();
      assertThat(world.state("phase")).isEmpty();
      world.rooms.deleted().pass();
      world.rooms.deleted().pass();
      assertThat(keys(world)).isEmpty();
    }
  }

  @Test
  void theKeysOfARoomThatWasCreatedAgainAreKept() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      world.join(1);
      assertThat(world.rooms.rooms().delete(world.id)).isTrue();
      world.put(SETTINGS);
      world.move();
      world.join(1);
      world.rooms.deleted().pass();
      assertThat(world.state("next")).isEqualTo("1");
    }
  }
}
