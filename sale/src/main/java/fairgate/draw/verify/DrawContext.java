package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.DrawRules;
import java.util.Optional;

/// What both depths of the verification begin with: the head of the bundle, the rules and the
/// chain.
record DrawContext(
    VerifyRequest request,
    BundleHead head,
    DrawRules rules,
    BeaconChain chain,
    Verdict.Builder out) {
  static DrawContext of(VerifyRequest request, Verdict.Builder out) {
    DrawFiles files = request.files();
    BundleHead head =
        BundleHead.parse(files.need(BundleHead.FILE))
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_BUNDLE, BundleHead.FILE));
    out.draw(head.draw());
    request
        .logKey()
        .ifPresent(
            key -> unless(key.equals(head.log()), VerdictCode.WRONG_LOG_KEY, head.log().text()));
    DrawRules rules =
        DrawRules.parse(files.need(head.path("rules.json")))
            .filter(parsed -> parsed.draw().equals(head.draw()))
            .filter(parsed -> parsed.witnesses().stream().noneMatch(head.log()::hasKeyOf))
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_RULES, "rules.json"));
    BeaconChain chain = chain(request, head, rules);
    unless(
        rules.sealBy() < chain.timeOf(rules.beacon().round()),
        VerdictCode.MALFORMED_RULES,
        "seal_by");
    return new DrawContext(request, head, rules, chain, out);
  }

  private static BeaconChain chain(VerifyRequest request, BundleHead head, DrawRules rules) {
    String named = rules.beacon().chain();
    if (named.equals(BeaconChain.QUICKNET.hash())) {
      return BeaconChain.QUICKNET;
    }
    Optional<BeaconChain> chain =
        BeaconChain.parse(request.files().need(head.path("chain.json")))
            .filter(parsed -> parsed.hash().equals(named));
    unless(chain.isPresent(), VerdictCode.MALFORMED_CHAIN, "chain.json");
    unless(request.chains().contains(named), VerdictCode.UNKNOWN_BEACON, named);
    return chain.get();
  }

  DrawFiles files() {
    return request.files();
  }

  byte[] need(String file) {
    return files().need(head.path(file));
  }

  /// The latest time at which a quorum may cosign the seal.
  long deadline() {
    return chain.timeOf(rules.beacon().round()) - 60;
  }
}
