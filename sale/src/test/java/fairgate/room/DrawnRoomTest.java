package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.OrderDraws;
import fairgate.kernel.TicketOrder;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.json.JsonObject;
import fairgate.platform.text.Language;
import fairgate.room.RoomWorld.Visitor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// A room whose order is drawn by public randomness, from the side of the room.
class DrawnRoomTest {
  private static final String SEED = "5a".repeat(32);
  private static final long DRAWS_AT = 1_800_000_000;

  /// A draw that tests decide.
  private static final class Draws implements OrderDraws {
    final List<Sealed> asked = new ArrayList<>();
    State state = new State.Announcing();

    @Override
    public State of(Sealed sealed) {
      asked.add(sealed);
      return state;
    }

    @Override
    public Duration margin() {
      return Duration.ofSeconds(90);
    }
  }

  private final Draws draws = new Draws();

  private static String settings(Instant opens) {
    return RoomWorld.on(
        1, 0.01, ", \"pre_queue\": \"draw\", \"opens_at\": \"%s\"".formatted(opens));
  }

  /// A room with visitors that opens now.
  private RoomWorld opened(List<Visitor> all, int visitors) {
    RoomWorld world = RoomWorld.open(settings(Instant.now().plusSeconds(3_600)));
    world.rooms.loop().drawBy(draws);
    for (int browser = 0; browser < visitors; browser++) {
      all.add(world.join(browser));
    }
    world.put(settings(Instant.now().minusSeconds(1)));
    world.freshHead();
    return world;
  }

  @Test
  void theRoomWaitsForTheDrawAndTakesItsOrder() {
    List<Visitor> all = new ArrayList<>();
    try (RoomWorld world = opened(all, 20)) {
      assertThat(world.head().get("phase")).isEqualTo("before");
      assertThat(world.head().has("draw")).isFalse();
      draws.state = new OrderDraws.State.Waiting(20, DRAWS_AT);
      world.freshHead();
      JsonObject draw = (JsonObject) Objects.requireNonNull(world.head().get("draw"));
      assertThat(draw.get("n")).isEqualTo(20L);
      assertThat(draw.get("at")).isEqualTo(DRAWS_AT);
      assertThat(world.join(30).ticket()).isEqualTo(20);
      assertThat(world.rooms.places().leave(world.room(), world.possession(all.get(7))).await())
          .as("leaving while the draw is to come")
          .isNull();
      draws.state = new OrderDraws.State.Decided(20, SEED);
      world.freshHead();
      world.freshHead();
      JsonObject drawn = (JsonObject) Objects.requireNonNull(world.head().get("drawn"));
      assertThat(drawn.get("seed")).isEqualTo(SEED);
      assertThat(drawn.get("n")).isEqualTo(20L);
      assertThat(drawn.get("epoch")).isEqualTo(world.room().epoch());
      assertThat(world.head().has("draw")).isFalse();
      TicketOrder order = new TicketOrder(SEED, 20);
      GoneTickets gone = GoneTickets.read(world.redis, new RoomStateKeys(world.id), 0).await();
      assertThat(gone.isGone((int) order.of(7))).isTrue();
      assertThat(world.rooms.loop().node(world.id).drawn(3)).isEqualTo(order.of(3));
      assertThat(draws.asked)
          .containsOnly(new OrderDraws.Sealed(world.id, world.room().epoch(), 20));
    }
  }

  @Test
  void theSealedNumberStaysThatOfTheFirstMoment() {
    try (RoomWorld world = opened(new ArrayList<>(), 3)) {
      world.join(40);
      world.move();
      boolean _ = world.rooms.rooms().beginEpoch(world.id, "test").isPresent();
      world.move();
      assertThat(draws.asked).extracting(OrderDraws.Sealed::tickets).containsOnly(3);
      assertThat(draws.asked.stream().map(OrderDraws.Sealed::epoch).distinct()).hasSize(1);
    }
  }

  /// A failover to a replica that lacks the last tickets.
  @Test
  void theAnnouncedNumberCountsWhenRedisHasLostTickets() {
    List<Visitor> all = new ArrayList<>();
    try (RoomWorld world = opened(all, 5)) {
      world.set("sealed", 4);
      world.set("next", 4);
      draws.state = new OrderDraws.State.Decided(5, SEED);
      world.freshHead();
      world.freshHead();
      assertThat(world.state("drawn")).isEqualTo("5");
      assertThat(world.join(41).ticket()).isEqualTo(5);
      assertThat(world.rooms.places().here(world.room(), all.get(4).place()).await()).isNull();
    }
  }

  /// The same while the draw is to come: a latecomer must not get the number of somebody else.
  @Test
  void anAnnouncedNumberIsNotGivenAgainBeforeTheDraw() {
    try (RoomWorld world = opened(new ArrayList<>(), 5)) {
      world.set("sealed", 4);
      world.set("next", 4);
      draws.state = new OrderDraws.State.Waiting(5, DRAWS_AT);
      world.move();
      assertThat(world.join(41).ticket()).isEqualTo(5);
      assertThat(world.state("sealed")).isEqualTo("5");
    }
  }

  @Test
  void whoWasPresentStaysWhenTheDrawIsGivenUpLate() {
    List<Visitor> all = new ArrayList<>();
    try (RoomWorld world = opened(all, 3)) {
      draws.state = new OrderDraws.State.Waiting(3, DRAWS_AT);
      for (int period = 0; period < 4; period++) {
        world.set("period_at", 0);
        for (Visitor visitor : all) {
          assertThat(world.rooms.places().here(world.room(), visitor.place()).await()).isNull();
        }
        world.move();
      }
      world.put(settings(Instant.now().minusSeconds(1)).replace("\"draw\"", "\"arrival\""));
      world.freshHead();
      world.move();
      assertThat(world.state("drawn")).isEqualTo("0");
      for (Visitor visitor : all) {
        assertThat(world.rooms.places().here(world.room(), visitor.place()).await()).isNull();
      }
      assertThat(world.tryEnter(all.get(0))).isEqualTo("ENTER");
    }
  }

  @Test
  void anOperatorCanGiveUpTheDrawForTheOrderOfArrival() {
    List<Visitor> all = new ArrayList<>();
    try (RoomWorld world = opened(all, 3)) {
      String arrival = settings(Instant.now().minusSeconds(1)).replace("\"draw\"", "\"arrival\"");
      world.put(arrival);
      world.freshHead();
      assertThat(world.state("drawn")).isEqualTo("0");
      assertThat(world.head().get("phase")).isEqualTo("open");
      assertThat(world.tryEnter(all.get(0))).isEqualTo("ENTER");
      draws.state = new OrderDraws.State.Decided(3, SEED);
      assertThat(world.change(settings(Instant.now().minusSeconds(1))))
          .isInstanceOf(Rooms.Change.CannotDraw.class);
      Void _ =
          new DrawRoomScript(world.redis)
              .draw(
                  new RoomStateKeys(world.id),
                  new DrawRoomScript.Draw(3, world.room().epoch(), SEED, true))
              .await();
      assertThat(world.state("drawn")).isEqualTo("0");
    }
  }

  /// Verifiers compare the order with the announcement that the head names.
  @Test
  void theHeadNamesTheDrawWhateverTheSettingsSayLater() {
    try (RoomWorld world = opened(new ArrayList<>(), 3)) {
      draws.state = new OrderDraws.State.Decided(3, SEED);
      world.freshHead();
      world.put(settings(Instant.now().minusSeconds(1)).replace("\"draw\"", "\"arrival\""));
      world.freshHead();
      JsonObject drawn = (JsonObject) Objects.requireNonNull(world.head().get("drawn"));
      assertThat(drawn.get("epoch")).isEqualTo(world.room().epoch());
    }
  }

  @Test
  void aDrawNeedsAnOpeningAndARoomThatHasNotOpened() {
    assertThatThrownBy(
            () ->
                RoomJson.read(
                    "tour", "{\"pre_queue\": \"draw\"}".getBytes(StandardCharsets.UTF_8), 1, 1))
        .isInstanceOf(InvalidRequest.class)
        .hasMessageContaining("opens_at: draw_opening");
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      assertThat(world.change(settings(Instant.now().plusSeconds(3_600))))
          .isInstanceOf(Rooms.Change.CannotDraw.class);
    }
  }

  /// It would open at once, in order of arrival.
  @Test
  void aDrawNeedsAnOpeningThatPeopleCanWaitFor() {
    String past = settings(Instant.now().minusSeconds(1));
    String off = "{\"mode\": \"off\"}";
    try (RoomWorld world = RoomWorld.open(off)) {
      assertThatThrownBy(() -> world.change(past))
          .isInstanceOf(InvalidRequest.class)
          .hasMessageContaining("opens_at: draw_opening");
      String next = settings(Instant.now().plusSeconds(3_600));
      assertThat(world.change(next)).isInstanceOf(Rooms.Change.Saved.class);
      // Visitors can wait in it, so it may open now; and it stays as it is when it has opened.
      assertThat(world.change(past)).isInstanceOf(Rooms.Change.Saved.class);
      assertThat(world.change(past)).isInstanceOf(Rooms.Change.Saved.class);
    }
  }

  /// It would be over before anybody could enter.
  @Test
  void aDrawnRoomEndsAMinuteAfterItsRoundAtTheEarliest() {
    Instant opens = Instant.now().plusSeconds(3_600);
    String early = closing(opens, opens.plusSeconds(149));
    try (RoomWorld world = RoomWorld.open("{\"mode\": \"off\"}")) {
      assertThatThrownBy(() -> world.change(early))
          .isInstanceOfSatisfying(
              InvalidRequest.class,
              refused -> {
                assertThat(refused).hasMessageContaining("closes_at: draw_closing");
                assertThat(refused.text(Language.EN)).contains("at least 150 seconds after");
              });
      assertThat(world.change(early.replace("\"draw\"", "\"shuffle\"")))
          .isInstanceOf(Rooms.Change.Saved.class);
      assertThat(world.change(closing(opens, opens.plusSeconds(150))))
          .isInstanceOf(Rooms.Change.Saved.class);
      // Visitors wait in it, so it may open now, but not end before the draw.
      Instant past = Instant.now().minusSeconds(3_600);
      assertThatThrownBy(() -> world.change(closing(past, Instant.now().plusSeconds(60))))
          .hasMessageContaining("closes_at: draw_closing");
      assertThat(world.change(closing(past, Instant.now().plusSeconds(3_600))))
          .isInstanceOf(Rooms.Change.Saved.class);
      // An operator may end a room that has opened at any time.
      assertThat(world.change(closing(past, Instant.now()))).isInstanceOf(Rooms.Change.Saved.class);
    }
  }

  private static void setOpening(RoomWorld world, Instant opens, Instant closes) {
    RoomWorld.sql(
        "UPDATE rooms SET settings = settings || '{\"opens_at\": \"%s\", \"closes_at\": \"%s\"}'"
                .formatted(opens, closes)
            + " WHERE id = '"
            + world.id
            + "'");
  }

  private static void expectTooEarly(RoomWorld world, String settings) {
    assertThatThrownBy(() -> world.change(settings))
        .isInstanceOf(InvalidRequest.class)
        .hasMessageContaining("closes_at: draw_closing");
  }

  /// Those who wait for it would have waited for nothing.
  @Test
  void aRoomThatHasOpenedCanBeEndedOnlyOnceItsOrderIsDrawn() {
    try (RoomWorld world = opened(new ArrayList<>(), 3)) {
      Instant opens = Objects.requireNonNull(world.room().opening().opensAt());
      expectTooEarly(world, closing(opens, Instant.now()));
      Instant past = Instant.parse("2020-01-01T00:00:00Z");
      Instant soon = Instant.now().plusSeconds(60);
      setOpening(world, past, soon);
      RoomWorld.sql(
          "INSERT INTO room_draws (room, epoch, chain, seal, leaf_index)"
              + " SELECT id, epoch, '', 'x', 0 FROM rooms WHERE id = '%s'".formatted(world.id));
      expectTooEarly(world, closing(past, Instant.now()));
      assertThat(world.change(closing(past, soon).replace("\"capacity\": 1", "\"capacity\": 2")))
          .as("a change that leaves the end as it is")
          .isInstanceOf(Rooms.Change.Saved.class);
      Instant end = Instant.now();
      assertThat(world.change(off(closing(past, end)))).isInstanceOf(Rooms.Change.Saved.class);
      expectTooEarly(world, closing(past, end));
      RoomWorld.sql("UPDATE room_draws SET result = 'x' WHERE room = '%s'".formatted(world.id));
      assertThat(world.change(closing(past, Instant.now()))).isInstanceOf(Rooms.Change.Saved.class);
    }
  }

  private static String closing(Instant opens, Instant closes) {
    return settings(opens)
        .replace("\"pre_queue\"", "\"closes_at\": \"" + closes + "\", \"pre_queue\"");
  }

  @Test
  void aRoomThatWasOffAtItsOpeningIsNotTurnedOnWithADraw() {
    String on = settings(Instant.now().plusSeconds(3_600));
    try (RoomWorld world = RoomWorld.open(off(on))) {
      Instant past = Instant.parse("2020-01-01T00:00:00Z");
      RoomWorld.sql(
          "UPDATE rooms SET settings = settings || '{\"opens_at\": \"%s\"}' WHERE id = '%s'"
              .formatted(past, world.id));
      assertThat(world.change(off(settings(past)))).isInstanceOf(Rooms.Change.Saved.class);
      assertThatThrownBy(() -> world.change(settings(past)))
          .isInstanceOf(InvalidRequest.class)
          .hasMessageContaining("opens_at: draw_opening");
    }
  }

  private static String off(String settings) {
    return settings.replace("\"mode\": \"on\"", "\"mode\": \"off\"");
  }
}
