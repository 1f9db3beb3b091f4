package fairgate.draw.witness;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.WitnessService.WitnessOutcome;
import fairgate.draw.witness.WitnessService.WitnessOutcome.Conflict;
import fairgate.draw.witness.WitnessService.WitnessOutcome.Cosigned;
import fairgate.draw.witness.WitnessService.WitnessOutcome.Inconsistent;
import fairgate.draw.witness.WitnessService.WitnessOutcome.Malformed;
import fairgate.draw.witness.WitnessService.WitnessOutcome.UnknownLog;
import fairgate.draw.witness.WitnessService.WitnessOutcome.Unsigned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WitnessServiceTest {
  private static final String ORIGIN = "shop.example/fairgate/log";
  private static final SignerKey LOG = key(ORIGIN, VerifierKey.Type.LOG, 1);
  private static final SignerKey WITNESS =
      key("witness.example/w", VerifierKey.Type.COSIGNATURE, 2);
  private static final Clock CLOCK =
      Clock.fixed(Instant.ofEpochSecond(1_800_000_000), ZoneOffset.UTC);

  @TempDir private Path folder;
  private final HashList leaves = new HashList();
  private WitnessService witness = service(Path.of("."));

  private static SignerKey key(String name, VerifierKey.Type type, int number) {
    return new SignerKey(name, type, Hash.ofParts(new byte[] {(byte) number}).bytes());
  }

  private static WitnessService service(Path folder) {
    return new WitnessService(WITNESS, List.of(LOG.verifier()), folder, CLOCK);
  }

  @BeforeEach
  void start() {
    witness = service(folder);
    for (int i = 0; i < 50; i++) {
      leaves.add(Merkle.leafHash(new byte[] {(byte) i}));
    }
  }

  private static String note(HashList tree, int size) {
    return new Checkpoint(ORIGIN, new Merkle.Head(size, Merkle.root(tree, 0, size))).signed(LOG);
  }

  private static byte[] request(HashList tree, int old, int size) {
    StringBuilder text = new StringBuilder("old " + old + "\n");
    Merkle.consistencyProof(tree, old, size)
        .forEach(hash -> text.append(hash.base64()).append('\n'));
    return StrictText.bytes(text.append('\n').append(note(tree, size)).toString());
  }

  private WitnessOutcome add(int old, int size) throws IOException {
    return witness.add(request(leaves, old, size));
  }

  /// The same log with another last leaf.
  private HashList fork() {
    HashList fork = new HashList();
    for (int i = 0; i < leaves.size() - 1; i++) {
      fork.add(leaves.get(i));
    }
    fork.add(Merkle.leafHash(StrictText.bytes("another")));
    return fork;
  }

  @Test
  void aLogThatOnlyGrowsIsCosigned() throws IOException {
    int old = 0;
    for (int size : new int[] {1, 2, 7, 8, 33, 50}) {
      assertThat(add(old, size)).isInstanceOf(Cosigned.class);
      old = size;
    }
    assertThat(add(50, 50)).isInstanceOf(Cosigned.class);
  }

  @Test
  void theCosignatureVerifiesWithItsTime() throws IOException {
    assertThat(add(0, 5))
        .isInstanceOfSatisfying(
            Cosigned.class,
            cosigned -> {
              byte[] all = StrictText.bytes(note(leaves, 5) + cosigned.line());
              SignedNote note = SignedNote.parse(all).orElseThrow();
              assertThat(note.isForgedFor(WITNESS.verifier())).isFalse();
              assertThat(note.cosignedAt(WITNESS.verifier()).toArray())
                  .containsExactly(1_800_000_000);
            });
  }

  @Test
  void aForkIsRefusedAlsoAfterARestart() throws IOException {
    assertThat(add(0, 50)).isInstanceOf(Cosigned.class);
    witness = service(folder);
    assertThat(witness.add(request(fork(), 50, 50))).isEqualTo(new Conflict(50));
    assertThat(witness.add(request(fork(), 0, 50))).isEqualTo(new Conflict(50));
    HashList longer = fork();
    longer.add(leaves.get(0));
    assertThat(witness.add(request(longer, 50, 51))).isEqualTo(new Inconsistent());
    assertThat(add(50, 50)).isInstanceOf(Cosigned.class);
  }

  @Test
  void anOldSizeThatIsNotTheRecordedOneConflicts() throws IOException {
    assertThat(add(0, 10)).isInstanceOf(Cosigned.class);
    assertThat(add(0, 20)).isEqualTo(new Conflict(10));
    assertThat(add(11, 20)).isEqualTo(new Conflict(10));
    assertThat(add(5, 8)).isEqualTo(new Conflict(10));
    assertThat(add(10, 20)).isInstanceOf(Cosigned.class);
  }

  @Test
  void strangersAreRefused() throws IOException {
    Checkpoint other = new Checkpoint("other.example/log", new Merkle.Head(0, Merkle.EMPTY));
    assertThat(witness.add(StrictText.bytes("old 0\n\n" + other.signed(LOG))))
        .isEqualTo(new UnknownLog());
    SignerKey namesake = key(ORIGIN, VerifierKey.Type.LOG, 9);
    Checkpoint own = new Checkpoint(ORIGIN, new Merkle.Head(0, Merkle.EMPTY));
    assertThat(witness.add(StrictText.bytes("old 0\n\n" + own.signed(namesake))))
        .isEqualTo(new Unsigned());
  }

  @Test
  void malformedRequestsAreRefused() throws IOException {
    String good = StrictText.utf8(request(leaves, 0, 5)).orElseThrow();
    for (String wrong :
        List.of(
            "",
            "old\n\n",
            good.replace("old 0", "old 00"),
            good.replace("old 0", "old 6"),
            good.replace("old 0\n", "old 0\nAAAA\n"),
            good.replace("old 0\n", "old 0\n" + (Merkle.EMPTY.base64() + "\n").repeat(64)),
            good.replace("\n", "\r\n"))) {
      assertThat(witness.add(StrictText.bytes(wrong))).as(wrong).isEqualTo(new Malformed());
    }
    byte[] huge = StrictText.bytes(good + "x".repeat(WitnessService.MAX_REQUEST));
    assertThat(witness.add(huge)).isEqualTo(new Malformed());
  }

  @Test
  void aDamagedRecordIsNotTakenForAnEmptyOne() throws IOException {
    assertThat(add(0, 10)).isInstanceOf(Cosigned.class);
    try (Stream<Path> files = Files.list(folder)) {
      Files.writeString(files.findFirst().orElseThrow(), "damaged");
    }
    Assertions.assertThatIOException()
        .isThrownBy(() -> add(0, 10))
        .withMessageContaining("damaged");
  }
}
