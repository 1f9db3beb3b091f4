package fairgate.draw.tlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class SignedNoteTest {
  private static final SignerKey LOG =
      new SignerKey("shop.example/log", VerifierKey.Type.LOG, new byte[32]);
  private static final SignerKey WITNESS =
      new SignerKey("witness.example/w1", VerifierKey.Type.COSIGNATURE, seed(1));
  private static final Checkpoint CHECKPOINT =
      new Checkpoint("shop.example/log", new Merkle.Head(3, Merkle.EMPTY));

  private static byte[] seed(int fill) {
    byte[] seed = new byte[32];
    java.util.Arrays.fill(seed, (byte) fill);
    return seed;
  }

  private static SignedNote note(String text) {
    return SignedNote.parse(text).orElseThrow();
  }

  @Test
  void aNoteOfAnotherImplementationVerifies() {
    VerifierKey key =
        VerifierKey.parse(
                "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
                VerifierKey.Type.LOG)
            .orElseThrow();
    String note =
        """
        If you think cryptography is the answer to your problem,
        then you don't know what your problem is.

        — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
        """;
    assertThat(note(note).isSignedBy(key)).isTrue();
    assertThat(note(note.replace("answer", "cause")).isSignedBy(key)).isFalse();
    assertThat(note(note).isSignedBy(LOG.verifier())).isFalse();
  }

  @Test
  void aCheckpointCarriesItsHeadItsSignatureAndTheTimesOfWitnesses() {
    String text = CHECKPOINT.signed(LOG) + WITNESS.cosign(CHECKPOINT.text(), 1_700_000_000);
    Checkpoint.Signed signed = Checkpoint.parse(StrictText.bytes(text)).orElseThrow();
    assertThat(signed.checkpoint()).isEqualTo(CHECKPOINT);
    assertThat(signed.note().isSignedBy(LOG.verifier())).isTrue();
    assertThat(signed.note().isForgedFor(WITNESS.verifier())).isFalse();
    assertThat(signed.note().cosignedAt(WITNESS.verifier()).toArray())
        .containsExactly(1_700_000_000);
  }

  @Test
  void aCosignatureHoldsForItsTimeOnly() {
    String line = WITNESS.cosign(CHECKPOINT.text(), 1_700_000_000);
    String other = WITNESS.cosign(CHECKPOINT.text(), 1_600_000_000);
    byte[] late = StrictText.base64(line.strip().split(" ", -1)[2]).orElseThrow();
    byte[] early = StrictText.base64(other.strip().split(" ", -1)[2]).orElseThrow();
    System.arraycopy(early, 0, late, 0, 12);
    String mixed =
        "— witness.example/w1 " + java.util.Base64.getEncoder().encodeToString(late) + "\n";
    SignedNote note = note(CHECKPOINT.signed(LOG) + mixed);
    assertThat(note.isForgedFor(WITNESS.verifier())).isTrue();
  }

  @Test
  void oneForgedLineOfAKnownKeyRejectsTheNote() {
    Checkpoint other = new Checkpoint("shop.example/log", new Merkle.Head(4, Merkle.EMPTY));
    String forged = CHECKPOINT.signed(LOG) + LOG.sign(other.text());
    assertThat(note(forged).isSignedBy(LOG.verifier())).isFalse();
  }

  @Test
  void linesOfUnknownKeysAreIgnored() {
    SignerKey namesake = new SignerKey("shop.example/log", VerifierKey.Type.LOG, seed(9));
    String text = CHECKPOINT.signed(LOG) + namesake.sign(CHECKPOINT.text());
    assertThat(note(text).isSignedBy(LOG.verifier())).isTrue();
    assertThat(note(text).isSignedBy(WITNESS.verifier())).isFalse();
  }

  @Test
  void malformedNotesAreRefused() {
    String good = CHECKPOINT.signed(LOG);
    for (String wrong :
        List.of(
            "",
            "\n",
            "\n\n",
            good.strip(),
            good.replace("\n", "\r\n"),
            good.replace("— ", "- "),
            good.replace("— shop", "—  shop"),
            good + "\n",
            good + "— x\n",
            good + "— x AAAA\n",
            good + "— x+y AAAAAAA=\n",
            good + "— x AAAAAAB=\n",
            "a\tb\n" + good)) {
      assertThat(SignedNote.parse(StrictText.bytes(wrong))).as(wrong).isEmpty();
    }
    assertThat(SignedNote.parse(new byte[] {(byte) 0xff, 10, 10})).isEmpty();
    assertThat(SignedNote.parse(StrictText.bytes(good + WITNESS.sign("").repeat(64)))).isEmpty();
  }

  @Test
  void malformedCheckpointsAreRefused() {
    String root = Merkle.EMPTY.base64();
    for (String text :
        List.of(
            "o\n3\n",
            "o\n03\n" + root + "\n",
            "o\n-3\n" + root + "\n",
            "\n3\n" + root + "\n",
            "o\n3\n" + root + "\nmore\n",
            "o\n3\n" + root.replace("=", "") + "\n",
            "o\n9007199254740992\n" + root + "\n")) {
      assertThat(Checkpoint.parse(StrictText.bytes(text + "\n" + LOG.sign(text))))
          .as(text)
          .isEmpty();
    }
  }

  @Test
  void onlyKeysWithTheirComputedIdAreRead() {
    String text = LOG.verifier().text();
    assertThat(VerifierKey.parse(text, VerifierKey.Type.LOG)).contains(LOG.verifier());
    assertThat(VerifierKey.parse(text, VerifierKey.Type.COSIGNATURE)).isEmpty();
    String id = text.split("\\+", -1)[1];
    String wrong = id.startsWith("0") ? "1" + id.substring(1) : "0" + id.substring(1);
    assertThat(VerifierKey.parse(text.replace(id, wrong), VerifierKey.Type.LOG)).isEmpty();
    assertThat(VerifierKey.parse("a b" + text, VerifierKey.Type.LOG)).isEmpty();
  }

  @Test
  void aProofFileIsReadAsItWasWritten() {
    TlogProof proof =
        new TlogProof(seed(7), 12, List.of(Merkle.EMPTY, Merkle.EMPTY), CHECKPOINT.signed(LOG));
    Optional<TlogProof> read = TlogProof.parse(StrictText.bytes(proof.text()));
    assertThat(read.orElseThrow().text()).isEqualTo(proof.text());
    assertThat(read.get().signedCheckpoint().orElseThrow().checkpoint()).isEqualTo(CHECKPOINT);
    String bare = new TlogProof(new byte[0], 0, List.of(), CHECKPOINT.signed(LOG)).text();
    assertThat(TlogProof.parse(StrictText.bytes(bare)).orElseThrow().text()).isEqualTo(bare);
  }

  @Test
  void malformedProofFilesAreRefused() {
    String good = new TlogProof(seed(7), 12, List.of(Merkle.EMPTY), CHECKPOINT.signed(LOG)).text();
    for (String wrong :
        List.of(
            "",
            good.replace("@v1", "@v2"),
            good.replace("index 12", "index 012"),
            good.replace("index 12", "index"),
            good.replace("index 12\n", ""),
            good.replace("extra ", "extra  "),
            good.replace("\n", "\r\n"),
            good.replace("index 12\n", "index 12\n" + (Merkle.EMPTY.base64() + "\n").repeat(63)))) {
      assertThat(TlogProof.parse(StrictText.bytes(wrong))).as(wrong).isEmpty();
    }
  }

  @Property(tries = 500)
  void arbitraryBytesNeverThrow(@ForAll byte[] bytes, @ForAll String text) {
    assertThat(SignedNote.parse(bytes).isPresent() && TlogProof.parse(bytes).isPresent()).isFalse();
    assertThat(VerifierKey.parse(text, VerifierKey.Type.LOG)).isEmpty();
    StrictText.base64(text).ifPresent(it -> assertThat(it).isNotNull());
  }
}
