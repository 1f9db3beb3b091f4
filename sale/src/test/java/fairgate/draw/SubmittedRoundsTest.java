package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestIds;
import fairgate.draw.Draws.DatabaseClock;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Loops;
import fairgate.platform.observe.Metrics;
import fairgate.platform.text.Language;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A round that somebody sends decides all draws that wait for it: those of sales and of rooms.
@Tag("slow")
class SubmittedRoundsTest {
  /// A draw of a sale and rooms without a beacon source.
  private static final class Scene implements AutoCloseable {
    private final DrawWorld world = DrawWorld.open(1, "");
    private final BeaconSources none = new BeaconSources(List.of());
    private final PostgresRoomDraws store =
        new PostgresRoomDraws(
            world.books.database(),
            world.logs,
            world.keys.houseOrigin(),
            new PostgresRoomDraws.Terms(
                world.drand.info(), Duration.ZERO, new Witnesses.Config(List.of(), 0)));
    private final RoomDraws rooms =
        new RoomDraws(
            store,
            world.logs,
            (_, _, _) -> Optional.empty(),
            none,
            new AtomicBoolean(),
            world.clock,
            Duration.ofHours(1));
    private final Draws draws;
    private final SubmittedRounds rounds;

    Scene() {
      world.drand.silent(true);
      assertThat(world.entered(1, 1).index()).isZero();
      world.decide();
      draws = Draws.open(world.stores.draws(), new DatabaseClock(world.clock));
      rounds = new SubmittedRounds(draws, world.course(), rooms, world.config, world.clock);
    }

    Draw draw() {
      return draws.find(DrawWorld.ID).orElseThrow();
    }

    BeaconRound round() {
      return draw().beaconRound();
    }

    /// Announces the draw of a room that the round decides.
    void announce(String room, long round) {
      byte[] seal =
          new RoomLeaf.Seal(
                  room, 7, 50, new BeaconRound(world.drand.chainHash(), round), 0, List.of())
              .data();
      int _ =
          world
              .books
              .database()
              .tx(
                  db ->
                      db.update(
                          "INSERT INTO room_draws (room, epoch, chain, seal, leaf_index)"
                              + " VALUES ($1, 7, $2, $3, 0)",
                          room,
                          world.drand.info(),
                          Buffer.buffer(seal)));
    }

    boolean isDecided(String room) {
      return store.find(room, 7).orElseThrow().result().isPresent();
    }

    byte[] signature(long round) {
      return HexFormat.of().parseHex(world.drand.signature(round));
    }

    @Override
    public void close() {
      draws.close();
      none.close();
      world.close();
    }
  }

  @Test
  void theRoundOfASaleDecidesRoomsToo() {
    try (Scene scene = new Scene()) {
      long round = scene.round().round();
      scene.announce("one", round);
      scene.announce("two", round);
      scene.announce("later", round + 1);
      assertThat(scene.rounds.submit(scene.draw(), round, scene.signature(round + 1)))
          .isEqualTo(SubmittedRounds.Outcome.WRONG);
      assertThat(scene.isDecided("one")).isFalse();
      assertThat(scene.rounds.submit(scene.draw(), round, scene.signature(round)))
          .isEqualTo(SubmittedRounds.Outcome.ACCEPTED);
      assertThat(scene.draw().beacon()).isPresent();
      assertThat(scene.isDecided("one")).isTrue();
      assertThat(scene.isDecided("two")).isTrue();
      assertThat(scene.isDecided("later")).isFalse();
      assertThat(scene.rounds.submit(scene.draw(), round, scene.signature(round)))
          .isEqualTo(SubmittedRounds.Outcome.KNOWN);
    }
  }

  @Test
  void aRoundOfAChainDecidesWhatWaitsForItOnce() {
    try (Scene scene = new Scene()) {
      BeaconRound round = scene.round();
      scene.announce("one", round.round());
      byte[] signature = scene.signature(round.round());
      assertThat(scene.rounds.submit(new BeaconRound("00".repeat(32), round.round()), signature))
          .isEqualTo(SubmittedRounds.Outcome.UNKNOWN_CHAIN);
      assertThat(scene.rounds.chains())
          .containsExactly(scene.world.drand.chainHash(), scene.world.second.chainHash());
      BeaconRound other = new BeaconRound(round.chain(), round.round() - 1);
      assertThat(scene.rounds.submit(other, scene.signature(other.round())))
          .isEqualTo(SubmittedRounds.Outcome.NOT_NOW);
      assertThat(scene.rounds.awaited(round.chain())).containsExactly(round.round());
      assertThat(scene.rounds.submit(round, scene.signature(round.round() + 1)))
          .isEqualTo(SubmittedRounds.Outcome.WRONG);
      assertThat(scene.isDecided("one")).isFalse();
      assertThat(scene.rounds.submit(round, signature)).isEqualTo(SubmittedRounds.Outcome.ACCEPTED);
      assertThat(scene.isDecided("one")).isTrue();
      assertThat(scene.draw().beacon()).isPresent();
      assertThat(scene.rounds.submit(round, signature)).isEqualTo(SubmittedRounds.Outcome.NOT_NOW);
      assertThat(scene.rounds.awaited(round.chain())).isEmpty();
    }
  }

  /// Many people may send the same round in the second in which it comes.
  @Test
  void aBurstOfOneRoundIsVerifiedOnce() {
    burst(0, 30, 204, 409);
  }

  /// Rounds that nobody awaits are not verified.
  @Test
  void aBurstOfUnwantedRoundsHoldsNoOtherUp() {
    burst(60, 1, 204, 409);
  }

  /// Sends rounds that nobody awaits, each another one, and copies of the right one.
  private static void burst(int unwanted, int right, Integer... statuses) {
    Vertx vertx = Loops.vertx(1);
    try (Scene scene = new Scene();
        HttpClient client = HttpClient.newHttpClient()) {
      HttpServer server =
          HttpServer.start(
              vertx,
              HttpConfig.defaults().withAddress("127.0.0.1", 0),
              new BeaconRoutes(scene.draws, scene.rounds).routes(),
              new HttpDependencies(
                  new TestIds(), new KeyRing("k", Map.of("k", new byte[32])), new Metrics()));
      BeaconRound round = scene.round();
      URI uri = URI.create("http://127.0.0.1:" + server.port() + "/api/beacons/" + round.chain());
      List<CompletableFuture<HttpResponse<String>>> burst = new ArrayList<>();
      for (int i = unwanted; i > -right; i--) {
        String body =
            "{\"round\": %d, \"signature\": \"%s\"}"
                .formatted(
                    round.round() + Math.max(i, 0), scene.world.drand.signature(round.round()));
        HttpRequest request =
            HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        burst.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
      }
      assertThat(burst.stream().map(it -> it.join().statusCode()))
          .as("no 503")
          .contains(204)
          .isSubsetOf(statuses);
      assertThat(scene.draw().beacon()).isPresent();
      server.drain(Duration.ofSeconds(2)).await();
    }
    vertx.close().await();
  }

  /// The keys of a chain of one's own may leak, and with them the rounds of the future.
  @Test
  void aRoundDecidesNothingBeforeItsTime() {
    try (Scene scene = new Scene()) {
      BeaconRound round = scene.round();
      scene.announce("one", round.round());
      byte[] signature = scene.signature(round.round());
      long due = scene.draw().decidesAt();
      scene.world.clock.set(due - 3);
      List<ThrowingCallable> early =
          List.of(
              () -> scene.rounds.submit(round, signature),
              () -> scene.rounds.submit(scene.draw(), round.round(), signature));
      for (ThrowingCallable each : early) {
        assertThatThrownBy(each)
            .isInstanceOfSatisfying(
                InvalidRequest.class,
                refused ->
                    assertThat(refused.text(Language.EN))
                        .contains("not due before " + Instant.ofEpochSecond(due)));
      }
      assertThat(scene.draw().beacon()).isEmpty();
      assertThat(scene.isDecided("one")).isFalse();
      scene.world.clock.set(due - 2);
      assertThat(scene.rounds.submit(round, signature)).isEqualTo(SubmittedRounds.Outcome.ACCEPTED);
      assertThat(scene.isDecided("one")).isTrue();
    }
  }
}
