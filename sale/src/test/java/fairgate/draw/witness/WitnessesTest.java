package fairgate.draw.witness;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.observe.Metrics;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The server asks real witnesses over sockets.
@Tag("slow")
final class WitnessesTest {
  private static final String ORIGIN = "shop.example/fairgate/log";
  private static final SignerKey LOG = new SignerKey(ORIGIN, VerifierKey.Type.LOG, new byte[32]);
  private static final long TIME = 1_800_000_000;
  private static final long LATE = TIME + 100;

  @TempDir private Path folder;
  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final DrawLogs logs = new DrawLogs(books.database(), _ -> LOG);
  private final Vertx vertx = Loops.vertx(1);
  private final List<HttpServer> servers = new ArrayList<>();
  private final List<Witnesses> collectors = new ArrayList<>();

  @AfterEach
  void close() {
    collectors.forEach(Witnesses::close);
    servers.forEach(server -> server.drain(Duration.ofSeconds(2)).await());
    vertx.close().await();
    logs.close();
    books.close();
  }

  private static SignerKey key(int number) {
    return new SignerKey(
        "witness.example/w" + number,
        VerifierKey.Type.COSIGNATURE,
        Hash.ofParts(StrictText.bytes("witness " + number)).bytes());
  }

  /// Starts a witness with a clock that stands still.
  private Witnesses.Config.Witness witness(int number, long seconds) throws IOException {
    Path data = Files.createDirectories(folder.resolve("w" + number));
    Clock clock = Clock.fixed(Instant.ofEpochSecond(seconds), ZoneOffset.UTC);
    WitnessService service = new WitnessService(key(number), List.of(LOG.verifier()), data, clock);
    HttpServer server =
        HttpServer.start(
            vertx,
            HttpConfig.defaults().withAddress("127.0.0.1", 0),
            WitnessRoutes.of(service),
            new HttpDependencies(
                new TestIds(), new KeyRing("k", Map.of("k", new byte[32])), new Metrics()));
    servers.add(server);
    return new Witnesses.Config.Witness(
        key(number).verifier(), URI.create("http://127.0.0.1:" + server.port() + "/"));
  }

  private static Witnesses.Config.Witness unreachable(int number) {
    return new Witnesses.Config.Witness(key(number).verifier(), URI.create("http://127.0.0.1:1/"));
  }

  private Witnesses collect(Witnesses.Config.Witness... witnesses) {
    Witnesses.Config config = new Witnesses.Config(List.of(witnesses), 2);
    Witnesses all =
        new Witnesses(books.database(), logs, ORIGIN, config, () -> true, Clock.systemUTC());
    collectors.add(all);
    all.start();
    return all;
  }

  private void grow(int from, int to) {
    logs.create(ORIGIN);
    for (int i = from; i < to; i++) {
      assertThat(logs.append(ORIGIN, leaf(i)).await()).isEqualTo(i);
    }
    logs.publish();
  }

  private static byte[] leaf(int number) {
    return StrictText.bytes("leaf " + number + "\n");
  }

  private static List<VerifierKey> keys(int... numbers) {
    return Arrays.stream(numbers).mapToObj(i -> key(i).verifier()).toList();
  }

  private static void assertProves(TlogProof proof, int index) {
    Checkpoint.Signed signed = proof.signedCheckpoint().orElseThrow();
    Merkle.Head head = signed.checkpoint().head();
    assertThat(signed.note().isSignedBy(LOG.verifier())).isTrue();
    assertThat(
            Merkle.isIncluded(
                index, head.size(), Merkle.leafHash(leaf(index)), proof.hashes(), head.root()))
        .isTrue();
  }

  @Test
  void aQuorumCosignsAlthoughOneWitnessIsAway() throws IOException {
    grow(0, 5);
    Witnesses all = collect(witness(1, TIME), witness(2, TIME + 7), unreachable(3));
    TlogProof proof =
        Eventually.get("a quorum", () -> all.proof(3, keys(1, 2, 3), 2, LATE), Optional::isPresent)
            .orElseThrow();
    assertProves(proof, 3);
    Checkpoint.Signed signed = proof.signedCheckpoint().orElseThrow();
    assertThat(signed.note().cosignedAt(key(1).verifier())).containsExactly(TIME);
    assertThat(signed.note().cosignedAt(key(2).verifier())).containsExactly(TIME + 7);
    assertThat(signed.note().isForgedFor(key(1).verifier())).isFalse();
    assertThat(all.proof(3, keys(1, 2, 3), 3, LATE)).isEmpty();
    assertThat(all.proof(5, keys(1, 2), 2, LATE)).isEmpty();
    // The second witness was asked too late.
    assertThat(all.proof(3, keys(1, 2, 3), 2, TIME + 6)).isEmpty();
    assertThat(all.proof(3, keys(1, 2, 3), 1, TIME + 6)).isPresent();
    assertThat(all.checkpoint().orElseThrow()).contains(key(1).verifier().name());
  }

  @Test
  void aGrownLogIsProvenToBeConsistentAndOldProofsStay() throws IOException {
    grow(0, 5);
    Witnesses all = collect(witness(1, TIME), witness(2, TIME));
    var first =
        Eventually.get("a quorum", () -> all.proof(0, keys(1, 2), 2, LATE), Optional::isPresent);
    grow(5, 700);
    TlogProof later =
        Eventually.get("a quorum", () -> all.proof(600, keys(1, 2), 2, LATE), Optional::isPresent)
            .orElseThrow();
    assertProves(later, 600);
    assertThat(all.proof(0, keys(1, 2), 2, LATE).orElseThrow().checkpoint())
        .isEqualTo(first.orElseThrow().checkpoint());
  }

  @Test
  void aNodeThatLostItsRecordLearnsTheSizeOfTheWitness() throws IOException {
    grow(0, 5);
    Witnesses.Config.Witness one = witness(1, TIME);
    Witnesses before = collect(one);
    var _ =
        Eventually.get("a quorum", () -> before.proof(0, keys(1), 1, LATE), Optional::isPresent);
    before.close();
    grow(5, 9);
    int _ = books.database().tx(db -> db.update("DELETE FROM draw_cosignatures"));
    Witnesses after = collect(one);
    assertProves(
        Eventually.get("a quorum", () -> after.proof(7, keys(1), 1, LATE), Optional::isPresent)
            .orElseThrow(),
        7);
  }

  @Test
  void anotherKeyInTheAnswerDoesNotCount() throws IOException {
    grow(0, 2);
    Witnesses.Config.Witness impostor =
        new Witnesses.Config.Witness(key(9).verifier(), witness(1, TIME).address());
    Witnesses all = collect(impostor, witness(2, TIME));
    var _ = Eventually.get("a quorum", () -> all.proof(0, keys(2), 1, LATE), Optional::isPresent);
    assertThat(all.proof(0, keys(9), 1, LATE)).isEmpty();
    assertThat(all.checkpoint().orElseThrow()).doesNotContain("witness.example/w1");
  }

  @Test
  void withoutAQuorumInTheRulesTheLatestCheckpointServes() throws IOException {
    grow(0, 3);
    Witnesses all = collect();
    assertProves(all.proof(2, List.of(), 0, LATE).orElseThrow(), 2);
    assertThat(all.proof(3, List.of(), 0, LATE)).isEmpty();
  }
}
