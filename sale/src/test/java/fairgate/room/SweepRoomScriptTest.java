package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import fairgate.room.RoomLoop.SweepRoomScript;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomWorld.Visitor;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepRoomScriptTest {
  private static final String SETTINGS = RoomWorld.on(1, 0.01, "");

  private static boolean isGone(RoomWorld world, Visitor visitor) {
    return GoneTickets.read(world.redis, new RoomStateKeys(world.id), 0)
        .await()
        .isGone((int) visitor.ticket());
  }

  private static void here(RoomWorld world, Visitor visitor) {
    assertThat(world.rooms.places().here(world.room(), visitor.place()).await()).isNull();
  }

  /// The present period ends, and the next one begins with these visitors.
  private static void nextPeriod(RoomWorld world, Visitor... present) {
    world.endPeriod();
    for (Visitor visitor : present) {
      here(world, visitor);
    }
    world.move();
  }

  @Test
  void aVisitorWhoIsNotHeardInTwoWholePeriodsIsGoneAndTheOthersStay() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      for (int browser = 0; browser < 8; browser++) {
        world.join(browser);
      }
      Visitor present = world.join(20);
      Visitor absent = world.join(21);
      Visitor last = world.join(22);
      nextPeriod(world, present, last);
      nextPeriod(world, present, last);
      assertThat(isGone(world, absent)).isFalse();
      nextPeriod(world, last);
      assertThat(isGone(world, absent)).isTrue();
      assertThat(isGone(world, present)).isFalse();
      assertThat(isGone(world, last)).isFalse();
      assertThat(world.join(21).ticket()).isEqualTo(11);
    }
  }

  @Test
  void nobodyIsGoneWhileNobodyCanBeHeardNorSoonAfter() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      Visitor first = world.join(1);
      Visitor second = world.join(2);
      // However long an outage takes, it is a part of the period in which it began.
      world.endPeriod();
      for (int run = 0; run < 20; run++) {
        world.move();
      }
      assertThat(isGone(world, first)).isFalse();
      nextPeriod(world, second);
      assertThat(isGone(world, first)).isFalse();
      nextPeriod(world, second);
      assertThat(isGone(world, first)).isFalse();
      here(world, first);
      nextPeriod(world, second);
      assertThat(isGone(world, first)).isFalse();
    }
  }

  /// A node can be paused in the middle of a sweep, and a draw begins presence anew.
  @Test
  void aLateSweepMarksNobody() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      Visitor visitor = world.join(1);
      long late = Long.parseLong(world.state("period")) - 5;
      long absent =
          new SweepRoomScript(world.redis).run(new RoomStateKeys(world.id), late, 0).await();
      assertThat(absent).isZero();
      assertThat(isGone(world, visitor)).isFalse();
    }
  }

  /// Nobody else may come for hours: each contact is a period.
  @Test
  void aVisitorWhoNeverComesBackIsGoneInARoomWithFewVisitorsToo() {
    try (RoomWorld world = RoomWorld.open(SETTINGS)) {
      world.join(1);
      world.move();
      for (int browser = 2; browser < 6; browser++) {
        world.endPeriod();
        world.join(browser);
        world.move();
      }
      assertThat(world.join(1).ticket()).isEqualTo(5);
    }
  }

  /// A ticket whose turn has come and that nobody uses is absent like any other.
  @Test
  void aVisitorWhoDidNotComeIsGoneWhenTheCursorIsBlocksAway() {
    String limited = SETTINGS.replace("\"places_per_ip\": null", "\"places_per_ip\": 2");
    try (RoomWorld world = RoomWorld.open(limited)) {
      Visitor absent = world.join(0);
      Visitor late = world.join(1);
      assertThat(world.take(2)).isInstanceOf(TicketOutcome.Refused.class);
      world.set("next", 3L * GoneTickets.BLOCK);
      world.set("cursor", 2L * GoneTickets.BLOCK + 7);
      for (int period = 0; period < 3; period++) {
        nextPeriod(world, late);
      }
      assertThat(isGone(world, absent)).isTrue();
      assertThat(world.tryEnter(absent)).isEqualTo("PLACE_GONE");
      assertThat(isGone(world, late)).isFalse();
      assertThat(world.tryEnter(late)).isIn("ENTER", "NOT_YOUR_TURN");
      // The place of the address is free again.
      assertThat(world.join(2).ticket()).isEqualTo(3L * GoneTickets.BLOCK);
    }
  }

  @Test
  void nothingIsKeptOfAFinishedBlockAndItsTicketsStayGone() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(5, 1_000, ""))) {
      RoomStateKeys keys = new RoomStateKeys(world.id);
      Visitor inside = world.join(1);
      Visitor absent = world.join(0);
      world.move();
      EntryOutcome.Admitted pass = world.pass(inside);
      world.set("next", 2L * GoneTickets.BLOCK);
      world.set("cursor", 2L * GoneTickets.BLOCK);
      Visitor present = world.join(2);
      for (int period = 0; period < 3; period++) {
        nextPeriod(world, present);
      }
      world.move();
      assertThat(world.state("oldest")).isEqualTo(Long.toString(2L * GoneTickets.BLOCK));
      Void _ = world.rooms.service().release(world.room(), pass.claims()).await();
      assertThat(world.tryEnter(absent)).isEqualTo("PLACE_GONE");
      assertThat(world.tryEnter(inside)).isEqualTo("PLACE_GONE");
      assertThat(world.rooms.places().here(world.room(), absent.place()).await())
          .isEqualTo(ErrorCode.PLACE_GONE);
      assertThat(world.join(0).ticket()).isEqualTo(2L * GoneTickets.BLOCK + 1);
      assertThat(world.join(1).ticket()).isEqualTo(2L * GoneTickets.BLOCK + 2);
      List<String> left = world.redis.send("KEYS", keys.prefix() + "*:[01]").await().texts();
      assertThat(left)
          .as("bitmaps")
          .noneMatch(key -> key.contains("gone:") || key.contains("here:"));
    }
  }

  @Test
  void aVisitorWhoIsGoneDoesNotEnterWithASlotThatIsStillReserved() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor absent = world.join(0);
      Visitor present = world.join(1);
      world.move();
      for (int period = 0; period < 3; period++) {
        nextPeriod(world, present);
      }
      assertThat(world.tryEnter(absent)).isEqualTo("PLACE_GONE");
      // Its slot is free at once.
      world.move();
      assertThat(world.tryEnter(present)).isEqualTo("ENTER");
    }
  }

  /// A ticket that waits for a slot again and whose visitor is absent takes none.
  @Test
  void anAbsentVisitorWhoseTurnCameEarlierGetsNoSlot() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1_000, ""))) {
      Visitor absent = world.join(0);
      Visitor present = world.join(1);
      var _ = world.redis.send("ZADD", new RoomStateKeys(world.id).due(), "0", "0").await();
      world.set("cursor", 1);
      var _ = world.redis.send("SETBIT", new RoomStateKeys(world.id).gone(0), "7", "1").await();
      world.move();
      assertThat(world.tryEnter(absent)).isEqualTo("PLACE_GONE");
      assertThat(world.tryEnter(present)).isEqualTo("ENTER");
    }
  }
}
