package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.verify.HouseLog.Placed;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/// Checks that the rules were published before the draw opened, and that the list was sealed before
/// the beacon existed.
final class SealCheck {
  private static final String RULES_PROOF = "rules.tlog-proof";
  private static final String SEAL_PROOF = "seal.tlog-proof";

  private final DrawContext context;

  SealCheck(DrawContext context) {
    this.context = context;
  }

  /// The only rules leaf of the log, equal to `rules.json`.
  Placed<HouseLeaf.Rules> rulesLeaf(HouseLog log) {
    List<Placed<HouseLeaf.Rules>> all = log.all(HouseLeaf.Rules.class);
    unless(
        all.size() == 1 && all.getFirst().leaf().rules().json().equals(context.rules().json()),
        VerdictCode.EDITED_RULES,
        "rules.json");
    return all.getFirst();
  }

  /// Checks `rules.tlog-proof`.
  ///
  /// @param inLog checks that the tree head of the proof is one of the house log
  void rulesProof(BiConsumer<LogProof, String> inLog) {
    DrawRules rules = context.rules();
    LogProof proof = LogProof.of(context, RULES_PROOF, new HouseLeaf.Rules(rules).hash());
    inLog.accept(proof, RULES_PROOF);
    long time = proof.quorumTime(context, RULES_PROOF);
    unless(
        rules.open().isEmpty() || time <= rules.open().getAsLong(),
        VerdictCode.LATE_RULES,
        Instant.ofEpochSecond(time));
    context.out().found("rules", Instant.ofEpochSecond(time), (long) rules.quorum());
  }

  /// The seal in the log; empty if the draw is not sealed yet.
  Optional<Placed<Seal>> sealLeaf(HouseLog log, long rulesIndex) {
    return log.only(Seal.class, rulesIndex, VerdictCode.SECOND_SEAL);
  }

  /// The seal in the file `seal`.
  Seal sealFile() {
    return HouseLeaf.parse(context.need("seal"))
        .filter(Seal.class::isInstance)
        .map(Seal.class::cast)
        .filter(seal -> seal.draw().equals(context.head().draw()))
        .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_LEAF, "seal"));
  }

  /// Checks a seal and `seal.tlog-proof`.
  void sealed(Seal seal, BiConsumer<LogProof, String> inLog) {
    DrawRules rules = context.rules();
    unless(seal.rules().equals(rules.hash()), VerdictCode.EDITED_RULES, "seal");
    unless(seal.beacon().equals(rules.beacon()), VerdictCode.WRONG_ROUND, seal.beacon());
    unless(Arrays.equals(context.need("seal"), seal.data()), VerdictCode.BAD_PROOF, "seal");
    LogProof proof = LogProof.of(context, SEAL_PROOF, seal.hash());
    inLog.accept(proof, SEAL_PROOF);
    long time = proof.quorumTime(context, SEAL_PROOF);
    unless(time <= context.deadline(), VerdictCode.LATE_SEAL, Instant.ofEpochSecond(time));
    context.out().stage(Verdict.Stage.SEALED);
    context.out().size(seal.head().size());
    context
        .out()
        .found(
            "sealed",
            seal.head().size(),
            Instant.ofEpochSecond(time),
            (long) rules.quorum(),
            Instant.ofEpochSecond(context.chain().timeOf(rules.beacon().round())));
  }
}
