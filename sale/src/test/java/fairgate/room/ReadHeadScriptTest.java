package fairgate.room;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.JsonObject;
import fairgate.room.RoomWorld.Visitor;
import fairgate.testkit.Eventually;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class ReadHeadScriptTest {
  private static final int TICKETS = 1_000_000;

  @Test
  void theHeadTellsUpToWhichTicketTheStockProbablyLasts() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      for (int browser = 0; browser < 100; browser++) {
        world.join(browser);
      }
      world.move();
      RoomStock.Known known =
          world.rooms.stock().report(world.id, 20, OptionalDouble.of(0.5)).await();
      assertThat(known).isEqualTo(new RoomStock.Known(20, 0.5));
      world.freshHead();
      JsonObject stock = (JsonObject) Objects.requireNonNull(world.head().get("stock"));
      assertThat(stock.get("left")).isEqualTo(20L);
      assertThat(stock.get("p50")).isEqualTo(world.number("cursor") + 40);
      assertThat((Long) stock.get("p90")).isGreaterThan((Long) stock.get("p50")).isLessThan(60);
      Void _ = world.rooms.stock().forget(world.id).await();
      world.freshHead();
      assertThat(world.head().has("stock")).isFalse();
    }
  }

  @Test
  void theHeadIsSignedAndTheSameOnAllNodes() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""));
        RoomWorld other = RoomWorld.node(world.id, RoomWorld.config(RoomWorld.LONG))) {
      world.join(1);
      world.freshHead();
      other.move();
      byte[] head = world.rooms.loop().node(world.id).headBytes();
      assertThat(other.rooms.loop().node(world.id).headBytes()).isEqualTo(head);
      String text = new String(head, StandardCharsets.UTF_8);
      String signature = String.valueOf(world.head().get("sig"));
      String signed = text.replace(",\"sig\":\"" + signature + "\"", "");
      assertThat(
              world
                  .rooms
                  .tokens()
                  .verifyHead(world.id, signed.getBytes(StandardCharsets.UTF_8), signature))
          .isTrue();
      assertThat(
              world
                  .rooms
                  .tokens()
                  .verifyHead(
                      world.id,
                      signed
                          .replace("\"cursor\":", "\"cursor\":9")
                          .getBytes(StandardCharsets.UTF_8),
                      signature))
          .isFalse();
    }
  }

  @Test
  void theHeadOfAMillionHasAtMostFourHundredBytesInGzip() throws IOException {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 0.01, ""))) {
      RoomStateKeys keys = new RoomStateKeys(world.id);
      var _ = world.redis.send("HSET", keys.state(), "next", Integer.toString(TICKETS)).await();
      Random random = new Random(1);
      for (int block = 0; block < 62; block++) {
        // Each "U" has four bits.
        String bits = "U".repeat(380 + random.nextInt(40));
        var _ = world.redis.send("SET", keys.gone(block), bits).await();
      }
      var _ = world.rooms.stock().report(world.id, 5_120, OptionalDouble.of(0.62)).await();
      world.freshHead();
      byte[] head = world.rooms.loop().node(world.id).headBytes();
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
        gzip.write(head);
      }
      assertThat(world.head().get("gone")).satisfies(it -> assertThat((List<?>) it).hasSize(62));
      assertThat(packed.size())
          .as(new String(head, StandardCharsets.UTF_8))
          .isLessThanOrEqualTo(400);
    }
  }

  /// The vector of the reference: blocks of four tickets there, of 16,384 here.
  @Test
  void everyPlaceFromHeadAndTileIsThatOfBruteForce() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(5, 1_000, ""))) {
      List<Visitor> all = new ArrayList<>();
      for (int browser = 0; browser < 14; browser++) {
        all.add(world.join(browser));
      }
      for (int gone : List.of(1, 2, 5, 9, 10, 13)) {
        assertThat(
                world.rooms.places().leave(world.room(), world.possession(all.get(gone))).await())
            .isNull();
      }
      Eventually.await(
          "five have been admitted",
          () -> {
            world.move();
            return Long.parseLong(world.state("cursor")) > 7;
          });
      world.freshHead();
      int cursor = (int) world.number("cursor");
      GoneTickets tile = GoneTickets.read(world.redis, new RoomStateKeys(world.id), 0).await();
      long told = 0;
      for (int ticket = cursor; ticket < 14; ticket++) {
        told += tile.isGone(ticket) ? 1 : 0;
      }
      assertThat(world.head().get("gone")).isEqualTo(List.of(told));
      assertThat(tile.isGone(1)).isTrue();
      assertThat(tile.isGone(3)).isFalse();
    }
  }

  @Test
  void aHeadIsMadeAtMostOncePerInterval() {
    try (RoomWorld world = RoomWorld.open(RoomWorld.on(1, 1, ""))) {
      ReadHeadScript script = new ReadHeadScript(world.redis);
      RoomStateKeys keys = new RoomStateKeys(world.id);
      assertThat(script.run(keys, RoomWorld.LONG).await())
          .isInstanceOf(ReadHeadScript.Read.Present.class);
      assertThat(script.run(keys, Duration.ZERO).await())
          .isInstanceOf(ReadHeadScript.Read.Due.class);
      assertThat(script.run(new RoomStateKeys("unknown"), RoomWorld.LONG).await())
          .isInstanceOf(ReadHeadScript.Read.Missing.class);
    }
  }
}
