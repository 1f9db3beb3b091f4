package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.tlog.Hash;
import fairgate.draw.verify.HouseLog.Placed;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Checks that the rules were published before the draw opened, and that the list was sealed before
/// the beacon existed.
record SealCheck(DrawContext context) {
  /// The only rules leaf of the log, equal to `rules.json`. Finds earlier draws of the product.
  Placed<HouseLeaf.Rules> rulesLeaf(HouseLog log) {
    List<Placed<HouseLeaf.Rules>> all = log.all(HouseLeaf.Rules.class);
    unless(
        all.size() == 1 && all.getFirst().leaf().rules().json().equals(context.rules().json()),
        VerdictCode.EDITED_RULES,
        "rules.json");
    List<String> earlier = log.earlierDraws(all.getFirst());
    if (!earlier.isEmpty()) {
      context.out().found("earlier_draw", String.join(", ", earlier));
    }
    return all.getFirst();
  }

  /// Checks `rules.tlog-proof`.
  ///
  /// @param log empty if it was not read
  void rulesProof(Optional<HouseLog> log) {
    DrawRules rules = context.rules();
    CosignedHead proof = proof(new HouseLeaf.Rules(rules).hash(), "rules.tlog-proof", log);
    long open = rules.open().orElse(Long.MAX_VALUE);
    proof.unlessCosigned(at -> at <= open, VerdictCode.LATE_RULES);
    if (rules.quorum() == 0) {
      context.out().found("rules_unwitnessed");
    } else {
      context.out().found("rules", proof.quorumTime(), (long) rules.quorum());
    }
  }

  private CosignedHead proof(Hash leaf, String file, Optional<HouseLog> log) {
    CosignedHead proof =
        CosignedHead.proving(leaf, context.need(file), file, CosignedHead.Signers.of(context));
    log.ifPresent(it -> it.unlessForked(proof));
    return proof;
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
  ///
  /// @param log empty if it was not read
  void sealed(Seal seal, Optional<HouseLog> log) {
    DrawRules rules = context.rules();
    unless(seal.rules().equals(rules.hash()), VerdictCode.EDITED_RULES, "seal");
    unless(seal.beacon().equals(rules.beacon()), VerdictCode.WRONG_ROUND, seal.beacon());
    unless(Arrays.equals(context.need("seal"), seal.data()), VerdictCode.BAD_PROOF, "seal");
    CosignedHead proof = proof(seal.hash(), "seal.tlog-proof", log);
    proof.unlessCosigned(at -> at <= context.deadline(), VerdictCode.LATE_SEAL);
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
            proof.quorumTime(),
            (long) rules.quorum(),
            Instant.ofEpochSecond(context.chain().timeOf(rules.beacon().round())));
  }
}
