package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongPredicate;

/// A head of the house log. The signatures of the log and of the witnesses are verified.
///
/// @param file where it is, for the detail of a verdict
record CosignedHead(Merkle.Head tree, SignedNote note, Signers signers, String file) {
  record Signers(VerifierKey log, List<VerifierKey> witnesses, int quorum) {
    static Signers of(DrawContext context) {
      return new Signers(
          context.head().log(), context.rules().witnesses(), context.rules().quorum());
    }
  }

  static CosignedHead of(byte[] checkpoint, String file, Signers signers) {
    Checkpoint.Signed signed = LogReader.verified(checkpoint, signers.log(), file);
    SignedNote note = signed.note();
    unless(
        signers.witnesses().stream().noneMatch(note::isForgedFor), VerdictCode.BAD_SIGNATURE, file);
    return new CosignedHead(signed.checkpoint().head(), note, signers, file);
  }

  static CosignedHead proving(Hash leaf, byte[] proof, String file, Signers signers) {
    TlogProof parsed =
        TlogProof.parse(proof)
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_PROOF, file));
    CosignedHead head = of(StrictText.bytes(parsed.checkpoint()), file, signers);
    Merkle.Head tree = head.tree;
    unless(
        Merkle.isIncluded(parsed.index(), tree.size(), leaf, parsed.hashes(), tree.root()),
        VerdictCode.BAD_PROOF,
        file);
    return head;
  }

  /// Fails unless this is a head of the log with these leaves.
  void unlessForked(HashList log) {
    boolean isPrefix =
        tree.size() <= log.size() && Merkle.root(log, 0, (int) tree.size()).equals(tree.root());
    unless(isPrefix, VerdictCode.FORKED_LOG, file);
  }

  /// Whether a quorum cosigned at times that are accepted.
  boolean isCosigned(LongPredicate accepted) {
    long count =
        signers.witnesses().stream()
            .filter(each -> note.cosignedAt(each).anyMatch(accepted))
            .count();
    return count >= signers.quorum();
  }

  /// Fails unless a quorum cosigned at all, and at a time that is accepted.
  ///
  /// @param otherwise the code if the quorum cosigned at other times
  void unlessCosigned(LongPredicate accepted, VerdictCode otherwise) {
    unless(isCosigned(_ -> true), VerdictCode.NO_QUORUM, file);
    unless(isCosigned(accepted), otherwise, file);
  }

  /// The time at which a quorum had cosigned, for people.
  Instant quorumTime() {
    long[] times =
        signers.witnesses().stream()
            .map(each -> note.cosignedAt(each).min())
            .flatMapToLong(OptionalLong::stream)
            .sorted()
            .toArray();
    return Instant.ofEpochSecond(times[signers.quorum() - 1]);
  }
}
