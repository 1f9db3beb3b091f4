package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomFeature.OwnPassScript;
import fairgate.room.RoomWorld.Visitor;
import fairgate.room.token.RoomClaims;
import org.junit.jupiter.api.Test;

class OwnPassScriptTest {
  @Test
  void theFirstBrowserOwnsThePassUntilItsRelease() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(2, 1_000, ""))) {
      Visitor visitor = world.join(1);
      Visitor unused = world.join(2);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      world.move();
      RoomClaims other = world.pass(unused).claims();
      OwnPassScript script = new OwnPassScript(world.redis, RoomWorld.KEYS);
      assertThat(script.run(world.id, pass, "one").await()).isTrue();
      assertThat(script.run(world.id, pass, "one").await()).as("a repeat").isTrue();
      assertThat(script.run(world.id, pass, "two").await()).isFalse();
      var _ = world.rooms.service().release(world.room(), pass).await();
      var _ = world.rooms.service().release(world.room(), other).await();
      assertThat(script.run(world.id, pass, "one").await()).isFalse();
      assertThat(script.run(world.id, other, "two").await()).as("unused before").isFalse();
    }
  }

  @Test
  void aPassOfAnotherEpochBelongsToNobody() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.move();
      RoomClaims pass = world.pass(visitor).claims();
      var _ = world.redis.send("HSET", new RoomStateKeys(world.id).state(), "epoch", "2").await();
      OwnPassScript script = new OwnPassScript(world.redis, RoomWorld.KEYS);
      assertThat(script.run(world.id, pass, "one").await()).isFalse();
    }
  }
}
