package fairgate.draw.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.TestEngines;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.EntryBundle;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import fairgate.kernel.ServiceUnavailable;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class DrawLogsTest {
  private static final String ORIGIN = "shop.example/fairgate/log";
  private static final SignerKey KEY = new SignerKey(ORIGIN, VerifierKey.Type.LOG, new byte[32]);

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final DrawLogs logs = open();

  private DrawLogs open() {
    return new DrawLogs(
        books.database(), origin -> new SignerKey(origin, VerifierKey.Type.LOG, new byte[32]));
  }

  @AfterEach
  void close() {
    logs.close();
    books.close();
  }

  private static byte[] leaf(int number) {
    return StrictText.bytes("leaf " + number + "\n");
  }

  @CanIgnoreReturnValue
  private static List<Long> append(DrawLogs logs, String origin, int from, int to) {
    List<Future<Long>> appended = new ArrayList<>();
    IntStream.range(from, to).forEach(i -> appended.add(logs.append(origin, leaf(i))));
    return appended.stream().map(call -> call.await()).toList();
  }

  private static HashList expected(int size) {
    return HashList.of(IntStream.range(0, size).mapToObj(i -> Merkle.leafHash(leaf(i))).toList());
  }

  private static Checkpoint.Signed parsed(DrawLogs logs) {
    return Checkpoint.parse(StrictText.bytes(logs.checkpoint(ORIGIN).orElseThrow())).orElseThrow();
  }

  @Test
  void leavesKeepTheirOrderAndTheCheckpointIsTheirSignedRoot() {
    logs.create(ORIGIN);
    assertThat(append(logs, ORIGIN, 0, 600))
        .isEqualTo(IntStream.range(0, 600).mapToObj(i -> (long) i).toList());
    logs.publish();
    Checkpoint.Signed signed = parsed(logs);
    assertThat(signed.note().isSignedBy(KEY.verifier())).isTrue();
    assertThat(signed.checkpoint().head())
        .isEqualTo(new Merkle.Head(600, Merkle.root(expected(600))));
  }

  @Test
  void allTilesAreThoseOfTheTree() {
    logs.create(ORIGIN);
    int size = 66_000;
    for (int from = 0; from < size; from += 3_000) {
      append(logs, ORIGIN, from, from + 3_000);
    }
    HashList leaves = expected(size);
    for (Tile tile : TilePaths.hashes(size)) {
      if (tile.level() > 0 || tile.index() % 40 == 0 || tile.width() < TilePaths.WIDTH) {
        assertThat(logs.tile(ORIGIN, tile)).contains(TileTree.content(leaves, tile));
      }
    }
    Tile last = TilePaths.entries(size).getLast();
    List<byte[]> entries =
        EntryBundle.parse(logs.tile(ORIGIN, last).orElseThrow(), last.width()).orElseThrow();
    assertThat(entries.getLast()).isEqualTo(leaf(size - 1));
    assertThat(logs.tile(ORIGIN, new Tile(0, last.index(), TilePaths.WIDTH))).isEmpty();
    assertThat(logs.tile("another.example/log", new Tile(0, 0, 1))).isEmpty();
  }

  @Test
  void aRepeatedLeafKeepsItsIndex() {
    logs.create(ORIGIN);
    logs.create(ORIGIN);
    append(logs, ORIGIN, 0, 10);
    assertThat(append(logs, ORIGIN, 5, 12)).containsExactly(5L, 6L, 7L, 8L, 9L, 10L, 11L);
    List<Future<Long>> twice =
        List.of(logs.append(ORIGIN, leaf(99)), logs.append(ORIGIN, leaf(99)));
    assertThat(twice.get(0).await()).isEqualTo(12L).isEqualTo(twice.get(1).await());
  }

  @Test
  void twoNodesAppendToOneLog() {
    logs.create(ORIGIN);
    try (DrawLogs other = open()) {
      List<Future<Long>> all = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        all.add(logs.append(ORIGIN, leaf(i)));
        all.add(other.append(ORIGIN, leaf(10_000 + i)));
      }
      List<Long> indexes = all.stream().map(call -> call.await()).sorted().toList();
      assertThat(indexes).isEqualTo(IntStream.range(0, 1000).mapToObj(i -> (long) i).toList());
    }
    logs.publish();
    assertThat(parsed(logs).checkpoint().head().size()).isEqualTo(1000);
  }

  /// What a crash leaves behind: leaves without a checkpoint.
  @Test
  void aNodeThatStartsAgainSignsWhatWasAnswered() {
    logs.create(ORIGIN);
    append(logs, ORIGIN, 0, 3);
    logs.publish();
    append(logs, ORIGIN, 3, 8);
    assertThat(parsed(logs).checkpoint().head().size()).isEqualTo(3);
    try (DrawLogs restarted = open()) {
      restarted.start();
      Eventually.await("the checkpoint", () -> parsed(restarted).checkpoint().head().size() == 8);
      assertThat(append(restarted, ORIGIN, 8, 9)).containsExactly(8L);
    }
  }

  @Test
  void aReceiptProvesTheLeafOnceItIsSigned() {
    logs.create(ORIGIN);
    append(logs, ORIGIN, 0, 300);
    assertThat(logs.proof(ORIGIN, 7, new byte[0])).isEmpty();
    logs.publish();
    TlogProof proof = logs.proof(ORIGIN, 7, StrictText.bytes("salt")).orElseThrow();
    Merkle.Head head = proof.signedCheckpoint().orElseThrow().checkpoint().head();
    Hash leaf = Merkle.leafHash(leaf(7));
    assertThat(Merkle.isIncluded(7, head.size(), leaf, proof.hashes(), head.root())).isTrue();
    assertThat(logs.proof(ORIGIN, 300, new byte[0])).isEmpty();
    assertThat(logs.proof(ORIGIN, -1, new byte[0])).isEmpty();
  }

  @Test
  void noAnsweredLeafIsLostWhenPostgresqlDies() {
    try (TestEngines engines = TestEngines.privateEngines()) {
      LedgerFixture own = LedgerFixture.fresh(engines);
      try (DrawLogs crashing = new DrawLogs(own.database(), _ -> KEY)) {
        crashing.create(ORIGIN);
        Map<Integer, Long> answered = new HashMap<>();
        AtomicBoolean isKilled = new AtomicBoolean();
        Eventually.await(
            "all leaves are answered",
            () -> {
              Map<Integer, Future<Long>> calls = new HashMap<>();
              for (int i = 0; i < 1_500; i++) {
                if (!answered.containsKey(i)) {
                  calls.put(i, crashing.append(ORIGIN, leaf(i)));
                }
              }
              if (!isKilled.getAndSet(true)) {
                engines.killPostgres();
              }
              calls.forEach((i, call) -> answer(call).ifPresent(at -> answered.put(i, at)));
              return answered.size() == 1_500;
            });
        expectAll(crashing, answered);
      } finally {
        own.close();
      }
    }
  }

  private static Optional<Long> answer(Future<Long> call) {
    try {
      return Optional.of(call.await());
    } catch (ServiceUnavailable e) {
      return Optional.empty();
    }
  }

  /// Every leaf is at the index of its answer, once, under the signed root.
  private static void expectAll(DrawLogs logs, Map<Integer, Long> answered) {
    logs.publish();
    HashList leaves = new HashList();
    Map<Long, byte[]> stored = new HashMap<>();
    for (Tile tile : TilePaths.entries(answered.size())) {
      byte[] content = logs.tile(ORIGIN, tile).orElseThrow();
      for (byte[] entry : EntryBundle.parse(content, tile.width()).orElseThrow()) {
        stored.put((long) leaves.size(), entry);
        leaves.add(Merkle.leafHash(entry));
      }
    }
    answered.forEach((i, at) -> assertThat(stored.get(at)).isEqualTo(leaf(i)));
    assertThat(parsed(logs).checkpoint().head())
        .isEqualTo(new Merkle.Head(answered.size(), Merkle.root(leaves)));
  }

  @Test
  void nothingInALogCanBeChanged() {
    logs.create(ORIGIN);
    append(logs, ORIGIN, 0, 3);
    for (String change :
        List.of(
            "UPDATE draw_leaves SET data = 'x' RETURNING index",
            "DELETE FROM draw_leaves RETURNING index",
            "DELETE FROM draw_nodes RETURNING index",
            "UPDATE draw_logs SET size = 2 RETURNING size")) {
      assertThatThrownBy(() -> books.query(change)).as(change).isInstanceOf(RuntimeException.class);
    }
  }

  @Test
  void aLogThatDoesNotExistTakesNothing() {
    assertThatThrownBy(() -> logs.append("nobody.example/log", leaf(1)).await())
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(logs.checkpoint("nobody.example/log")).isEmpty();
  }
}
