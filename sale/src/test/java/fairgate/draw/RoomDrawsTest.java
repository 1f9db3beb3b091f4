package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderDraws.Sealed;
import fairgate.kernel.OrderDraws.State;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Draws of rooms on a real PostgreSQL. A round of the beacon is a second, and the margin is zero
/// or an hour.
@Tag("slow")
class RoomDrawsTest {
  private static final Sealed TOUR = new Sealed("tour", 7, 50);

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final DrawKeys keys =
      new DrawKeys(new KeyRing("k1", Map.of("k1", new byte[32])), "shop.example/fairgate");
  private final DrawLogs logs = new DrawLogs(books.database(), keys::signer);
  private final FakeDrand drand = TestBeacon.start(Clock.systemUTC());
  private final BeaconSources sources = new BeaconSources(List.of(drand.url()));

  RoomDrawsTest() {
    logs.create(keys.houseOrigin());
  }

  @AfterEach
  void close() {
    sources.close();
    drand.close();
    logs.close();
    books.close();
  }

  private PostgresRoomDraws store(Duration margin) {
    return new PostgresRoomDraws(
        books.database(),
        logs,
        keys.houseOrigin(),
        new PostgresRoomDraws.Terms(drand.info(), margin, new Witnesses.Config(List.of(), 0)));
  }

  private RoomDraws node(Duration margin) {
    return new RoomDraws(
        store(margin),
        logs,
        (_, index, _) -> logs.proof(keys.houseOrigin(), index, new byte[0]).map(it -> it.text()),
        sources,
        new AtomicBoolean(),
        Clock.systemUTC(),
        Duration.ofHours(1));
  }

  private List<RoomLeaf> leaves() {
    return books.database().query("SELECT data FROM draw_leaves ORDER BY index").await().stream()
        .map(row -> RoomLeaf.parse(row.getBuffer(0).getBytes()).orElseThrow())
        .toList();
  }

  @Test
  void aDrawIsAnnouncedOnceAndDecidedByItsRound() {
    RoomDraws one = node(Duration.ZERO);
    RoomDraws other = node(Duration.ZERO);
    assertThat(one.of(TOUR)).isEqualTo(new State.Announcing());
    // Redis of the other node has lost tickets since.
    assertThat(other.of(new Sealed("tour", 7, 48))).isEqualTo(new State.Announcing());
    one.pass();
    other.pass();
    Eventually.await(
        "the round decides",
        () -> {
          one.pass();
          other.pass();
          return one.of(TOUR) instanceof State.Decided;
        });
    assertThat(other.of(new Sealed("tour", 7, 48))).isEqualTo(one.of(TOUR));
    List<RoomLeaf> leaves = leaves();
    assertThat(leaves).hasSize(2);
    RoomLeaf.Seal seal = (RoomLeaf.Seal) leaves.get(0);
    RoomLeaf.Result result = (RoomLeaf.Result) leaves.get(1);
    assertThat(seal.tickets()).isEqualTo(50);
    assertThat(seal.beacon().chain()).isEqualTo(drand.chainHash());
    assertThat(HexFormat.of().formatHex(result.signature()))
        .isEqualTo(drand.signature(seal.beacon().round()));
    assertThat(one.of(TOUR)).isEqualTo(new State.Decided(50, result.seed().hex()));
    assertThat(store(Duration.ZERO).find("tour", 7).orElseThrow().proof()).contains("index 0");
  }

  @Test
  void aRestartedNodeFindsTheDrawAgain() {
    RoomDraws before = node(Duration.ofHours(1));
    State _ = before.of(TOUR);
    before.pass();
    RoomDraws after = node(Duration.ofMinutes(1));
    State _ = after.of(TOUR);
    after.pass();
    assertThat(after.of(TOUR)).isEqualTo(before.of(TOUR)).isInstanceOf(State.Waiting.class);
    assertThat(leaves()).hasSize(1);
  }

  @Test
  void aNewEpochIsANewAnnouncement() {
    RoomDraws node = node(Duration.ofHours(1));
    State _ = node.of(TOUR);
    node.pass();
    State _ = node.of(new Sealed("tour", 8, 20));
    node.pass();
    assertThat(leaves()).extracting(RoomLeaf::epoch).containsExactly(7L, 8L);
    assertThat(store(Duration.ZERO).of("tour", 10))
        .extracting(draw -> draw.seal().tickets())
        .containsExactly(20L, 50L);
  }

  @Test
  void aRoundIsNotTakenBeforeItsTimeNorFromASilentBeacon() {
    drand.silent(true);
    RoomDraws node = node(Duration.ZERO);
    State _ = node.of(TOUR);
    node.pass();
    Eventually.await(
        "the round is late",
        () -> {
          node.pass();
          return node.of(TOUR) instanceof State.Waiting(int _, long at)
              && System.currentTimeMillis() / 1000 > at;
        });
    assertThat(leaves()).hasSize(1);
    drand.silent(false);
    Eventually.await(
        "the round decides",
        () -> {
          node.pass();
          return node.of(TOUR) instanceof State.Decided;
        });
  }

  /// A deleted room asks no more; its draw must not hide others.
  @Test
  void onlyADrawThatARoomWaitsForIsLate() {
    drand.silent(true);
    RoomDraws node = node(Duration.ZERO);
    State _ = node.of(TOUR);
    node.pass();
    Eventually.await(
        "the round is late",
        () -> {
          node.pass();
          return node.lateSeconds() > 0;
        });
    RoomDraws other = node(Duration.ZERO);
    other.pass();
    assertThat(other.lateSeconds()).isZero();
    State _ = node.of(new Sealed("tour", 8, 20));
    node.pass();
    Eventually.await(
        "the later draw of the room is late",
        () -> {
          node.pass();
          return node.lateSeconds() > 0;
        });
  }

  @Test
  void nobodyChangesAnAnnouncementOrAResultInPostgresql() {
    RoomDraws node = node(Duration.ofHours(1));
    State _ = node.of(TOUR);
    node.pass();
    for (String change :
        List.of(
            "UPDATE room_draws SET seal = 'x'",
            "UPDATE room_draws SET epoch = 9",
            "DELETE FROM room_draws")) {
      assertThatThrownBy(() -> books.database().query(change).await())
          .hasMessageContaining("forward");
    }
  }
}
