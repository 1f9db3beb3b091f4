package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomWorld.Visitor;
import fairgate.testkit.Eventually;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class AdvanceRoomScriptTest {
  @Test
  void aNewEpochRevokesEverythingAndKeepsThePlacesOfThoseWhoWait() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor inside = world.join(1);
      Visitor waiting = world.join(2);
      world.move();
      EntryOutcome.Admitted pass = world.pass(inside);
      var _ = world.rooms.rooms().beginEpoch(world.id, "test");
      world.move();
      assertThat(world.rooms.service().pass(world.room(), pass.token())).isEmpty();
      assertThat(world.tryEnter(waiting)).isEqualTo("INVALID_PLACE_TOKEN");
      Visitor again = world.join(2);
      assertThat(again.ticket()).isEqualTo(waiting.ticket());
      Eventually.await(
          "the waiting one enters",
          () -> {
            world.move();
            return world.tryEnter(again).equals("ENTER");
          });
      assertThat(world.join(1).ticket()).isEqualTo(2);
    }
  }

  /// Nobody could enter while Redis was away.
  @Test
  void aReservedSlotOutlivesAnOutage() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor first = world.join(1);
      Visitor second = world.join(2);
      world.move();
      world.move();
      RoomStateKeys keys = new RoomStateKeys(world.id);
      var _ = world.redis.send("ZADD", keys.prefix() + "reserved", "1000", "0").await();
      world.set("run_at", 1_000);
      world.move();
      assertThat(world.tryEnter(second)).isEqualTo("NOT_YOUR_TURN");
      assertThat(world.tryEnter(first)).isEqualTo("ENTER");
      // Without an outage it ends.
      var _ = world.redis.send("ZADD", keys.inside(), "1000", "0").await();
      world.set("kept_until", 1_000);
      world.move();
      assertThat(world.tryEnter(second)).isEqualTo("ENTER");
    }
  }

  @Test
  void aRestartedNodeGoesOnWhereTheOthersWere() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(2, 1_000, ""))) {
      for (int browser = 0; browser < 5; browser++) {
        world.join(browser);
      }
      world.move();
      try (RoomWorld restarted = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
        restarted.move();
        assertThat(restarted.rooms.loop().node(world.id).moved())
            .satisfies(moved -> assertThat(moved.cursor()).isEqualTo(2))
            .satisfies(moved -> assertThat(moved.tickets()).isEqualTo(5));
        assertThat(restarted.tryEnter(restarted.join(0))).isEqualTo("ENTER");
        assertThat(restarted.tryEnter(restarted.join(4))).isEqualTo("NOT_YOUR_TURN");
      }
    }
  }

  @Test
  void aStateLostByRedisLetsNobodyInWithAnOldPlace() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(10, 1_000, ""))) {
      Visitor visitor = world.join(1);
      long epoch = world.room().epoch();
      Eventually.await(
          "PostgreSQL knows that the state exists",
          () ->
              world.rooms.rooms().stored().stream()
                  .noneMatch(it -> it.room().id().equals(world.id) && it.mayCreate()));
      var _ = world.redis.send("DEL", new RoomStateKeys(world.id).state()).await();
      world.move();
      world.move();
      assertThat(world.room().epoch()).isGreaterThan(epoch);
      assertThat(world.tryEnter(visitor)).isEqualTo("INVALID_PLACE_TOKEN");
    }
  }

  /// Else a lost state would be created again in its epoch, with old places valid.
  @Test
  void postgreSqlLearnsOfTheStateAlsoAfterItWasAway() {
    try (RoomWorld world = RoomWorld.node("begun-late", RoomWorld.config(RoomWorld.LONG))) {
      world.put(RoomWorld.on(1, 1_000, ""));
      RoomWorld.sql("ALTER TABLE rooms RENAME TO rooms_away");
      try {
        world.move();
        assertThat(world.state("phase")).isEqualTo("open");
      } finally {
        RoomWorld.sql("ALTER TABLE rooms_away RENAME TO rooms");
      }
      Eventually.await(
          "PostgreSQL knows that the state exists",
          () -> {
            world.move();
            world.rooms.rooms().refresh();
            return world.rooms.rooms().stored().stream()
                .noneMatch(it -> it.room().id().equals(world.id) && it.mayCreate());
          });
    }
  }

  @Test
  void aNodeWithOlderSettingsChangesNothing() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Room old = world.room();
      world.put(RoomWorld.on(5, 1_000, ""));
      world.move();
      AdvanceRoomScript script =
          new AdvanceRoomScript(world.redis, RoomWorld.config(RoomWorld.LONG));
      assertThat(script.run(new PostgresRooms.Stored(old, false, 1), 10).await())
          .isInstanceOf(AdvanceRoomScript.Run.Stale.class);
    }
  }

  /// PostgreSQL was restored beside a Redis that was kept: what was revoked stays so.
  @Test
  void anEarlierEpochThanRedisHasDoesNotComeBack() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(10, 1_000, ""))) {
      Visitor visitor = world.join(1);
      world.set("epoch", world.room().epoch() + 1);
      world.move();
      world.move();
      assertThat(world.state("epoch")).isEqualTo(Long.toString(world.room().epoch()));
      assertThat(world.tryEnter(visitor)).isEqualTo("INVALID_PLACE_TOKEN");
      assertThat(world.join(1).ticket()).as("the place is kept").isEqualTo(visitor.ticket());
    }
  }

  @Test
  void browsersAndNetworksAreForgottenWhenAllTheirTicketsAreGone() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      RoomStateKeys keys = new RoomStateKeys(world.id);
      long generation = 1 << 20;
      world.join(1);
      world.set("next", generation + 5);
      world.set("cursor", generation + 5);
      world.set("oldest", generation - GoneTickets.BLOCK);
      world.move();
      assertThat(world.has(keys.networks(0))).isTrue();
      world.allGone(generation / GoneTickets.BLOCK - 1);
      world.move();
      assertThat(world.state("oldest")).isEqualTo(Long.toString(generation));
      assertThat(world.has(keys.networks(0))).isFalse();
      assertThat(world.has(keys.prefix() + "browsers:0")).isFalse();
      assertThat(world.join(2).ticket()).isEqualTo(generation + 5);
      world.move();
      assertThat(world.has(keys.networks(1))).isTrue();
    }
  }

  @Test
  void nobodyIsAdmittedWhileTheRoomIsPausedOrBeforeItOpens() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(5, 1_000, ", \"paused\": true"))) {
      world.join(1);
      world.move();
      assertThat(world.state("cursor")).isEqualTo("0");
      assertThat(world.state("phase")).isEqualTo("paused");
      Instant later = Instant.now().plusSeconds(3_600);
      world.put(RoomWorld.on(5, 1_000, ", \"opens_at\": \"" + later + "\""));
      world.move();
      assertThat(world.state("phase")).isEqualTo("before");
      assertThat(world.state("cursor")).isEqualTo("0");
    }
  }

  @Test
  void theRateLimitsTheCursor() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1_000, 0.01, ""))) {
      for (int browser = 0; browser < 10; browser++) {
        world.join(browser);
      }
      for (int run = 0; run < 20; run++) {
        world.move();
      }
      assertThat(world.state("cursor")).isEqualTo("1");
    }
  }
}
