package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.JsonObject;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomWorld.Visitor;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DrawRoomScriptTest {
  @Test
  void theOrderBeforeAnOpeningIsDrawnAndEverybodyKeepsOnePlace() {
    Instant opens = Instant.now().plusSeconds(3_600);
    String shuffle = ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"";
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, shuffle.formatted(opens)))) {
      List<Visitor> all = new ArrayList<>();
      for (int browser = 0; browser < 50; browser++) {
        all.add(world.join(browser));
      }
      assertThat(world.rooms.places().leave(world.room(), world.possession(all.get(7))).await())
          .isNull();
      world.freshHead();
      assertThat(world.head().get("phase")).isEqualTo("before");
      world.put(RoomWorld.on(1, 0.01, shuffle.formatted(Instant.now().minusSeconds(1))));
      world.move();
      world.freshHead();
      JsonObject drawn = (JsonObject) Objects.requireNonNull(world.head().get("drawn"));
      assertThat(drawn.get("n")).isEqualTo(50L);
      assertThat(drawn.has("epoch")).as("an order of the server is no public draw").isFalse();
      RoomNode node = world.rooms.loop().node(world.id);
      TreeSet<Long> places = new TreeSet<>();
      all.forEach(visitor -> places.add(node.drawn(visitor.ticket())));
      assertThat(places).hasSize(50).allMatch(place -> place < 50);
      assertThat(all).anyMatch(visitor -> node.drawn(visitor.ticket()) != visitor.ticket());
      assertThat(world.join(60).ticket()).isEqualTo(50);
      assertThat(world.join(3).ticket()).isEqualTo(all.get(3).ticket());
      assertThat(world.join(7).ticket()).isEqualTo(51);
      GoneTickets gone = GoneTickets.read(world.redis, new RoomStateKeys(world.id), 0).await();
      assertThat(gone.isGone((int) node.drawn(7))).isTrue();
      Visitor first =
          all.stream().filter(it -> node.drawn(it.ticket()) == 0).findFirst().orElseThrow();
      Visitor last =
          all.stream().filter(it -> node.drawn(it.ticket()) == 49).findFirst().orElseThrow();
      assertThat(world.tryEnter(last)).isNotEqualTo("ENTER");
      if (!first.equals(all.get(7))) {
        assertThat(world.tryEnter(first)).isEqualTo("ENTER");
      }
    }
  }

  @Test
  void aBrowserThatJoinsTwiceAtOnceAfterTheDrawGetsOneTicket() {
    Instant opens = Instant.now().plusSeconds(3_600);
    String shuffle = ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"";
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, shuffle.formatted(opens)))) {
      List<Visitor> all = new ArrayList<>();
      for (int browser = 0; browser < 9; browser++) {
        all.add(world.join(browser));
      }
      assertThat(world.rooms.places().leave(world.room(), world.possession(all.get(7))).await())
          .isNull();
      world.put(RoomWorld.on(1, 0.01, shuffle.formatted(Instant.now().minusSeconds(1))));
      world.move();
      world.freshHead();
      List<Future<TicketOutcome>> joins = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        joins.add(world.taking(7, "192.0.2.1"));
      }
      for (Future<TicketOutcome> join : joins) {
        assertThat(join.await())
            .isInstanceOfSatisfying(
                TicketOutcome.Given.class, given -> assertThat(given.ticket()).isEqualTo(9));
      }
      assertThat(world.state("next")).isEqualTo("10");
      assertThat(world.join(3).ticket()).isEqualTo(3);
    }
  }

  @Test
  void nobodyIsAbsentWhileTheOrderIsDrawnNorSoonAfter() {
    Instant opens = Instant.now().plusSeconds(3_600);
    String shuffle = ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"";
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, shuffle.formatted(opens)))) {
      world.join(1);
      Visitor present = world.join(2);
      world.put(RoomWorld.on(1, 0.01, shuffle.formatted(Instant.now().minusSeconds(1))));
      AdvanceRoomScript advance =
          new AdvanceRoomScript(world.redis, RoomWorld.config(RoomWorld.LONG));
      for (int period = 0; period < 4; period++) {
        world.endPeriod();
        assertThat(world.rooms.places().here(world.room(), present.place()).await()).isNull();
        assertThat(advance.run(new PostgresRooms.Stored(world.room(), false, 1), 10).await())
            .isInstanceOfSatisfying(
                AdvanceRoomScript.Run.Moved.class,
                run -> {
                  assertThat(run.toDraw()).isEqualTo(2);
                  assertThat(run.sweep()).isZero();
                });
      }
      world.move();
      world.freshHead();
      assertThat(world.state("drawn")).isEqualTo("2");
      world.endPeriod();
      assertThat(world.rooms.places().here(world.room(), present.place()).await()).isNull();
      world.move();
      assertThat(world.redis.send("BITCOUNT", new RoomStateKeys(world.id).gone(0)).await().number())
          .isZero();
    }
  }

  @Test
  void aDrawHappensOnce() {
    Instant opens = Instant.now().plusSeconds(3_600);
    String shuffle = ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"";
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, shuffle.formatted(opens)))) {
      for (int browser = 0; browser < 5; browser++) {
        world.join(browser);
      }
      world.put(RoomWorld.on(1, 0.01, shuffle.formatted(Instant.now().minusSeconds(1))));
      world.move();
      String seed = world.state("seed");
      assertThat(seed).hasSize(64);
      Void _ =
          new DrawRoomScript(world.redis)
              .draw(
                  new RoomStateKeys(world.id),
                  new DrawRoomScript.Draw(5, world.room().epoch(), "00".repeat(32), false))
              .await();
      assertThat(world.state("seed")).isEqualTo(seed);
      assertThat(world.state("drawn")).isEqualTo("5");
    }
  }
}
