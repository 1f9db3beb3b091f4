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
import java.util.OptionalLong;
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
    unless(proof.isCosigned(context, RULES_PROOF, _ -> true), VerdictCode.NO_QUORUM, RULES_PROOF);
    OptionalLong open = rules.open();
    unless(
        open.isEmpty() || proof.isCosigned(context, RULES_PROOF, at -> at <= open.getAsLong()),
        VerdictCode.LATE_RULES,
        RULES_PROOF);
    if (rules.quorum() == 0) {
      context.out().found("rules_unwitnessed");
    } else {
      context.out().found("rules", proof.quorumTime(context), (long) rules.quorum());
    }
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
    unless(proof.isCosigned(context, SEAL_PROOF, _ -> true), VerdictCode.NO_QUORUM, SEAL_PROOF);
    unless(
        proof.isCosigned(context, SEAL_PROOF, at -> at <= context.deadline()),
        VerdictCode.LATE_SEAL,
        SEAL_PROOF);
    context.out().stage(Verdict.Stage.SEALED);
    context.out().size(seal.head().size());
    if (rules.quorum() == 0) {
      context.out().found("sealed_unwitnessed", seal.head().size());
      return;
    }
    context
        .out()
        .found(
            "sealed",
            seal.head().size(),
            proof.quorumTime(context),
            (long) rules.quorum(),
            Instant.ofEpochSecond(context.chain().timeOf(rules.beacon().round())));
  }
}
