package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/// A proof of a leaf of the house log against a cosigned checkpoint.
record LogProof(TlogProof proof, Checkpoint.Signed checkpoint) {
  /// Parses a proof and verifies that it includes the leaf.
  static LogProof of(DrawContext context, String file, Hash leaf) {
    TlogProof proof =
        TlogProof.parse(context.need(file))
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_PROOF, file));
    Checkpoint.Signed signed =
        LogReader.verified(StrictText.bytes(proof.checkpoint()), context.head().log(), file);
    Merkle.Head tree = signed.checkpoint().head();
    unless(
        Merkle.isIncluded(proof.index(), tree.size(), leaf, proof.hashes(), tree.root()),
        VerdictCode.BAD_PROOF,
        file);
    return new LogProof(proof, signed);
  }

  Merkle.Head tree() {
    return checkpoint.checkpoint().head();
  }

  /// Whether a quorum cosigned a note at times that are accepted. Fails if a line of a witness does
  /// not verify.
  static boolean isCosigned(
      DrawContext context, SignedNote note, String file, LongPredicate accepted) {
    refuseForged(context, note, file);
    List<VerifierKey> witnesses = context.rules().witnesses();
    long count =
        witnesses.stream().filter(each -> note.cosignedAt(each).anyMatch(accepted)).count();
    return count >= context.rules().quorum();
  }

  /// Fails if a line of a witness does not verify.
  static void refuseForged(DrawContext context, SignedNote note, String file) {
    List<VerifierKey> witnesses = context.rules().witnesses();
    unless(witnesses.stream().noneMatch(note::isForgedFor), VerdictCode.BAD_SIGNATURE, file);
  }

  /// Whether a quorum cosigned the checkpoint at times that are accepted.
  boolean isCosigned(DrawContext context, String file, LongPredicate accepted) {
    return isCosigned(context, checkpoint.note(), file, accepted);
  }

  /// The time at which a quorum had cosigned the checkpoint, for people.
  Instant quorumTime(DrawContext context) {
    long[] times =
        context.rules().witnesses().stream()
            .map(each -> checkpoint.note().cosignedAt(each).min())
            .flatMapToLong(OptionalLong::stream)
            .sorted()
            .toArray();
    return Instant.ofEpochSecond(times[context.rules().quorum() - 1]);
  }
}
