package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.RoomWorld.Visitor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The live places of one network in a room. The default is 5 for an address, 20 for a network and
/// 25 for a /48 of IPv6.
@Tag("slow")
class RoomNetworkTest {
  private static final String DEFAULTS = "\"places_per_ip\": null, \"places_per_network\": null, ";

  private static String withDefaults(String settings) {
    assertThat(settings).contains(DEFAULTS);
    return settings.replace(DEFAULTS, "");
  }

  private static String limited(int perAddress, int perNetwork, String settings) {
    return settings.replace(
        DEFAULTS,
        "\"places_per_ip\": %d, \"places_per_network\": %d, ".formatted(perAddress, perNetwork));
  }

  private static String word(TicketOutcome outcome) {
    return switch (outcome) {
      case TicketOutcome.Given _ -> "GIVEN";
      case TicketOutcome.Refused(Refusal refusal) -> refusal.code().name();
    };
  }

  /// The places that browsers get, each with the address of its number.
  private static long given(RoomWorld world, int browsers, IntFunction<String> address) {
    long given = 0;
    for (int browser = 0; browser < browsers; browser++) {
      String word = word(world.take(browser, address.apply(browser)));
      assertThat(word).isIn("GIVEN", ErrorCode.NETWORK_LIMIT_REACHED.name());
      given += word.equals("GIVEN") ? 1 : 0;
    }
    return given;
  }

  private static RoomWorld defaults() {
    return RoomWorld.open(withDefaults(RoomWorld.on(1, 1, "")));
  }

  @Test
  void anAddressHasFivePlacesAndANetworkTwenty() {
    try (RoomWorld world = defaults()) {
      assertThat(given(world, 40, _ -> "192.0.2.7")).isEqualTo(5);
    }
    try (RoomWorld world = defaults()) {
      assertThat(given(world, 60, browser -> "192.0.2." + browser)).isEqualTo(20);
      assertThat(word(world.take(100, "192.0.3.1"))).isEqualTo("GIVEN");
    }
    try (RoomWorld world = defaults()) {
      assertThat(given(world, 40, browser -> "2001:db8:0:1::%x".formatted(browser))).isEqualTo(5);
    }
    try (RoomWorld world = defaults()) {
      assertThat(given(world, 60, browser -> "2001:db8:0:%x::1".formatted(browser))).isEqualTo(20);
    }
    try (RoomWorld world = defaults()) {
      assertThat(given(world, 60, browser -> "2001:db8:0:%x00::1".formatted(browser)))
          .isEqualTo(25);
    }
  }

  @Test
  void aRefusalLeavesNothingAndARepeatIsNoSecondPlace() {
    try (RoomWorld world = defaults()) {
      assertThat(given(world, 6, _ -> "192.0.2.7")).isEqualTo(5);
      assertThat(world.state("next")).isEqualTo("5");
      assertThat(word(world.take(3, "192.0.2.7"))).isEqualTo("GIVEN");
      assertThat(word(world.take(5, "192.0.2.8"))).isEqualTo("GIVEN");
      assertThat(world.state("next")).isEqualTo("6");
    }
  }

  @Test
  void aPlaceThatEndsIsGivenBack() {
    try (RoomWorld world = RoomWorld.open(limited(2, 2, RoomWorld.on(1, 1000, "")))) {
      Visitor first = world.join(1);
      Visitor second = world.join(2);
      assertThat(word(world.take(3))).isEqualTo("NETWORK_LIMIT_REACHED");

      assertThat(world.rooms.places().leave(world.room(), world.possession(second)).await())
          .isNull();
      Visitor third = world.join(3);
      assertThat(word(world.take(4))).isEqualTo("NETWORK_LIMIT_REACHED");

      // A visit counts until it ends.
      world.move();
      EntryOutcome.Admitted inside = world.pass(first);
      assertThat(word(world.take(4))).isEqualTo("NETWORK_LIMIT_REACHED");
      var _ = world.rooms.service().release(world.room(), inside.claims()).await();
      assertThat(world.join(4).ticket()).isGreaterThan(third.ticket());
    }
  }

  @Test
  void placesTakenWithoutALimitCountWhenThereIsOne() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      assertThat(given(world, 30, _ -> "192.0.2.7")).isEqualTo(30);
      world.put(limited(31, 500, RoomWorld.on(1, 0.01, "")));
      assertThat(word(world.take(40, "192.0.2.7"))).isEqualTo("GIVEN");
      assertThat(word(world.take(41, "192.0.2.7"))).isEqualTo("NETWORK_LIMIT_REACHED");
      assertThat(word(world.take(41, "192.0.2.8"))).isEqualTo("GIVEN");
    }
  }

  /// Enough of them for the largest limit, and not more.
  @Test
  void theNewestPlacesOfANetworkWithoutALimitAreKept() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      world.set("next", 10_000_000);
      assertThat(given(world, 2_000, _ -> "192.0.2.7")).isEqualTo(2_000);
      RoomStateKeys keys = new RoomStateKeys(world.id);
      List<String> lists = world.redis.send("HVALS", keys.networks(9)).await().texts();
      assertThat(lists).hasSize(2).allMatch(list -> list.length() <= 8_192);
      assertThat(lists).allMatch(list -> list.split(" ", -1).length > 625);
      world.put(limited(500, 500, RoomWorld.on(1, 0.01, "")));
      assertThat(word(world.take(3_000, "192.0.2.7"))).isEqualTo("NETWORK_LIMIT_REACHED");
    }
  }

  /// The draw gives tickets other numbers, more of them than one reply asks for.
  @Test
  void placesFromBeforeADrawCountByTheirDrawnNumbers() {
    int places = 150;
    String before = ", \"pre_queue\": \"shuffle\", \"opens_at\": \"%s\"";
    Instant opening = Instant.now().plus(Duration.ofHours(1));
    try (RoomWorld world =
        RoomWorld.open(limited(places, places, RoomWorld.on(1, 1, before.formatted(opening))))) {
      List<Visitor> visitors = new ArrayList<>();
      for (int browser = 0; browser < places; browser++) {
        visitors.add(world.join(browser));
      }
      assertThat(word(world.take(places))).isEqualTo("NETWORK_LIMIT_REACHED");

      String open = before.formatted(Instant.now().minusSeconds(1));
      world.put(limited(places, places, RoomWorld.on(1, 0.01, open)));
      world.move();
      world.freshHead();
      assertThat(word(world.take(places))).isEqualTo("NETWORK_LIMIT_REACHED");
      for (Visitor visitor : visitors.subList(10, 20)) {
        assertThat(world.rooms.places().leave(world.room(), world.possession(visitor)).await())
            .isNull();
      }
      for (int more = 0; more < 10; more++) {
        assertThat(word(world.take(places + more))).isEqualTo("GIVEN");
      }
      assertThat(word(world.take(places + 10))).isEqualTo("NETWORK_LIMIT_REACHED");
    }
  }
}
