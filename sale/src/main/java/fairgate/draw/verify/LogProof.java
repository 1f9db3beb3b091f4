package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import java.util.List;
import java.util.OptionalLong;

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

  /// The time at which a quorum had cosigned the checkpoint. Fails with `no_quorum`.
  long quorumTime(DrawContext context, String file) {
    return quorumTime(context, checkpoint.note(), file)
        .orElseThrow(() -> new FailedCheck(VerdictCode.NO_QUORUM, file));
  }

  /// The time at which a quorum had cosigned a note; empty if there are too few cosignatures. Fails
  /// if a line of a witness does not verify.
  static OptionalLong quorumTime(DrawContext context, SignedNote note, String file) {
    List<VerifierKey> witnesses = context.rules().witnesses();
    unless(witnesses.stream().noneMatch(note::isForgedFor), VerdictCode.BAD_SIGNATURE, file);
    long[] times =
        witnesses.stream()
            .map(note::cosignedAt)
            .filter(OptionalLong::isPresent)
            .mapToLong(OptionalLong::getAsLong)
            .sorted()
            .toArray();
    int quorum = context.rules().quorum();
    return quorum < 1 || times.length < quorum
        ? OptionalLong.empty()
        : OptionalLong.of(times[quorum - 1]);
  }
}
