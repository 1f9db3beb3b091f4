package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ClientAddress;
import java.time.Duration;
import java.time.Instant;
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
    RoomConfig config =
        new RoomConfig(
            Duration.ofMinutes(5),
            RoomWorld.LONG,
            Duration.ZERO,
            Duration.ofMinutes(2),
            RoomWorld.LONG);
    try (RoomWorld world = RoomWorld.open(standby, config)) {
      RoomService service = world.rooms.service();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OFF);
      assertThat(world.take(1)).isInstanceOf(TicketOutcome.Refused.class);
      EntryOutcome.Admitted pass = service.walkIn(world.room(), null).await().orElseThrow();
      assertThat(service.pass(world.room(), pass.token())).isPresent();
      long second = Instant.now().getEpochSecond();
      for (long at = second - 3; at <= second + 120; at++) {
        var _ = world.redis.send("SET", "room:{" + world.id + "}:arrivals:" + at, "6").await();
      }
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OPEN);
      assertThat(service.walkIn(world.room(), null).await()).isEmpty();
      for (long at = second - 3; at <= second + 120; at++) {
        var _ = world.redis.send("DEL", "room:{" + world.id + "}:arrivals:" + at).await();
      }
      world.move();
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OFF);
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
      WalkInScript script = new WalkInScript(world.redis, RoomWorld.KEYS, Duration.ofMinutes(5));
      assertThat(script.run(world.room(), null).await().word()).isEqualTo(WalkInScript.Word.PASS);
      assertThat(script.run(world.room(), null).await().word()).isEqualTo(WalkInScript.Word.PASS);
      assertThat(script.run(world.room(), null).await().word()).isEqualTo(WalkInScript.Word.FULL);
      world.move();
      assertThat(script.run(world.room(), null).await().word()).isEqualTo(WalkInScript.Word.ON);
      assertThat(world.join(1).ticket()).isEqualTo(2);
      var _ = world.redis.send("DEL", new RoomStateKeys(world.id).state()).await();
      assertThat(script.run(world.room(), null).await().word())
          .isEqualTo(WalkInScript.Word.NO_ROOM);
    }
  }

  @Test
  void oneAddressTakesAShareOfTheSlotsAndTurnsTheRoomOn() {
    String standby =
        """
        {"hosts": ["shop.example"], "mode": "standby", "capacity": 600, "rate": 1000,
         "challenge": false}
        """;
    try (RoomWorld world = RoomWorld.open(standby)) {
      WalkInScript script = new WalkInScript(world.redis, RoomWorld.KEYS, Duration.ofMinutes(5));
      ClientAddress crowd = Objects.requireNonNull(ClientAddress.parse("203.0.113.9"));
      ClientAddress other = Objects.requireNonNull(ClientAddress.parse("203.0.113.10"));
      for (int i = 0; i < 30; i++) {
        assertThat(script.run(world.room(), crowd).await().word())
            .isEqualTo(WalkInScript.Word.PASS);
      }
      assertThat(script.run(world.room(), other).await().word()).isEqualTo(WalkInScript.Word.PASS);
      assertThat(world.rooms.loop().node(world.id).phase()).isEqualTo(RoomPhase.OFF);
      assertThat(script.run(world.room(), crowd).await().word()).isEqualTo(WalkInScript.Word.FULL);
      world.move();
      assertThat(script.run(world.room(), other).await().word()).isEqualTo(WalkInScript.Word.ON);
      assertThat(world.redis.send("ZCARD", new RoomStateKeys(world.id).inside()).await().number())
          .isEqualTo(31);
    }
  }
}
