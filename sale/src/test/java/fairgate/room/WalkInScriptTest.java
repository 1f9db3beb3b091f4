package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ClientAddress;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WalkInScriptTest {
  @Test
  void standbyTurnsOnWhenArrivalsExceedTheRateAndOffWhenNobodyWaits() {
    String standby =
        """
        {"hosts": ["shop.example"], "mode": "standby", "capacity": 1000000, "rate": 5,
         "challenge": false}
        """;
    RoomFeature.Config config =
        new RoomFeature.Config(
            Duration.ofMinutes(5),
            RoomWorld.LONG,
            Duration.ZERO,
            Duration.ofMinutes(2),
            RoomWorld.LONG);
    try (RoomWorld world = RoomWorld.open(standby, config)) {
      RoomService service = world.rooms.service();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(Room.Phase.OFF);
      assertThat(world.take(1)).isInstanceOf(TicketOutcome.Refused.class);
      EntryOutcome.Admitted pass = service.walkIn(world.room(), null).await().orElseThrow();
      assertThat(service.pass(world.room(), pass.token())).isPresent();
      long second = Instant.now().getEpochSecond();
      for (long at = second - 3; at <= second + 120; at++) {
        var _ = world.redis.send("SET", "room:{" + world.id + "}:arrivals:" + at, "6").await();
      }
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(Room.Phase.OPEN);
      assertThat(service.walkIn(world.room(), null).await()).isEmpty();
      for (long at = second - 3; at <= second + 120; at++) {
        var _ = world.redis.send("DEL", "room:{" + world.id + "}:arrivals:" + at).await();
      }
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(Room.Phase.OFF);
    }
  }

  @Test
  void aFullRoomOnStandbyTurnsOn() {
    String standby =
        """
        {"hosts": ["shop.example"], "mode": "standby", "capacity": 2, "rate": 1000,
         "challenge": false}
        """;
    try (RoomWorld world = RoomWorld.open(standby)) {
      WalkInScript script = new WalkInScript(world.redis, Duration.ofMinutes(5));
      assertThat(script.run(world.room(), List.of()).await().word())
          .isEqualTo(WalkInScript.Word.PASS);
      assertThat(script.run(world.room(), List.of()).await().word())
          .isEqualTo(WalkInScript.Word.PASS);
      assertThat(script.run(world.room(), List.of()).await().word())
          .isEqualTo(WalkInScript.Word.FULL);
      world.move();
      assertThat(script.run(world.room(), List.of()).await().word())
          .isEqualTo(WalkInScript.Word.ON);
      assertThat(world.join(1).ticket()).isEqualTo(2);
      var _ = world.redis.send("DEL", new RoomStateKeys(world.id).state()).await();
      assertThat(script.run(world.room(), List.of()).await().word())
          .isEqualTo(WalkInScript.Word.NO_ROOM);
    }
  }

  @Test
  void oneAddressTakesAShareOfTheSlotsAndTurnsTheRoomOn() {
    try (RoomWorld world = RoomWorld.open(standby(600, "null"))) {
      for (int i = 0; i < 30; i++) {
        assertThat(comes(world, "203.0.113.9")).isTrue();
      }
      assertThat(comes(world, "203.0.113.10")).isTrue();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(Room.Phase.OFF);
      assertThat(comes(world, "203.0.113.9")).isFalse();
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(Room.Phase.OPEN);
      assertThat(comes(world, "203.0.113.10")).isFalse();
      assertThat(inside(world)).isEqualTo(31);
    }
  }

  @Test
  void oneNetworkTakesAsManySlotsAsPlacesAndTurnsTheRoomOn() {
    for (String form : List.of("203.0.113.%d", "2001:db8:1:2%02x::1")) {
      try (RoomWorld world = RoomWorld.open(standby(400, "40"))) {
        for (int i = 0; i < 40; i++) {
          assertThat(comes(world, form.formatted(i))).as(form).isTrue();
        }
        assertThat(comes(world, form.formatted(40))).as(form).isFalse();
        assertThat(inside(world)).isEqualTo(40);
      }
    }
  }

  @Test
  void oneSiteTakesAQuarterMoreThanANetwork() {
    try (RoomWorld world = RoomWorld.open(standby(400, "40"))) {
      for (int i = 0; i < 50; i++) {
        assertThat(comes(world, "2001:db8:1:%x00::1".formatted(i + 1))).isTrue();
      }
      assertThat(comes(world, "2001:db8:1:ff00::1")).isFalse();
      assertThat(inside(world)).isEqualTo(50);
    }
  }

  private static String standby(int capacity, String perNetwork) {
    return """
        {"hosts": ["shop.example"], "mode": "standby", "capacity": %d, "rate": 1000,
         "challenge": false, "places_per_network": %s}
        """
        .formatted(capacity, perNetwork);
  }

  private static boolean comes(RoomWorld world, String address) {
    ClientAddress client = Objects.requireNonNull(ClientAddress.parse(address));
    return world.rooms.service().walkIn(world.room(), client).await().isPresent();
  }

  private static long inside(RoomWorld world) {
    return world.redis.send("ZCARD", new RoomStateKeys(world.id).inside()).await().number();
  }
}
