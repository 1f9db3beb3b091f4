package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.DrawRules;
import java.util.Optional;

/// What both depths of the verification begin with: the head of the bundle, the rules and the
/// chain.
record DrawContext(
    VerifyRequest request,
    BundleHead head,
    DrawRules rules,
    BeaconChain chain,
    Optional<SecondBeacon> second,
    Verdict.Builder out) {
  /// The beacon that decides when the chain of the rules is given up.
  record SecondBeacon(BeaconRound round, BeaconChain chain) {
    /// Seconds since 1970.
    long time() {
      return chain.timeOf(round.round());
    }
  }

  static DrawContext of(VerifyRequest request, Verdict.Builder out) {
    VerifyRequest.Files files = request.files();
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
    String named = rules.beacon().chain();
    BeaconChain chain = chain(files, head.path("chain.json"), named);
    unless(accepts(request, named), VerdictCode.UNKNOWN_BEACON, named);
    unless(
        rules.sealBy() < chain.timeOf(rules.beacon().round()),
        VerdictCode.MALFORMED_RULES,
        "seal_by");
    Optional<SecondBeacon> second =
        rules
            .secondBeacon()
            .map(
                round ->
                    new SecondBeacon(
                        round, chain(files, head.path("second-chain.json"), round.chain())));
    // The seal is known to be older than the first beacon; so it is older than the second.
    unless(
        second.isEmpty() || second.get().time() >= chain.timeOf(rules.beacon().round()),
        VerdictCode.MALFORMED_RULES,
        "second_beacon");
    return new DrawContext(request, head, rules, chain, second, out);
  }

  private static BeaconChain chain(VerifyRequest.Files files, String file, String named) {
    return named.equals(BeaconChain.QUICKNET.hash())
        ? BeaconChain.QUICKNET
        : BeaconChain.parse(files.need(file))
            .filter(parsed -> parsed.hash().equals(named))
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_CHAIN, file));
  }

  private static boolean accepts(VerifyRequest request, String chain) {
    return chain.equals(BeaconChain.QUICKNET.hash()) || request.chains().contains(chain);
  }

  boolean accepts(BeaconChain other) {
    return accepts(request, other.hash());
  }

  VerifyRequest.Files files() {
    return request.files();
  }

  byte[] need(String file) {
    return files().need(head.path(file));
  }

  /// The latest time at which a quorum may cosign the seal.
  long deadline() {
    return roundTime() - 60;
  }

  /// The time of the beacon round that the rules name first, seconds since 1970.
  long roundTime() {
    return chain.timeOf(rules.beacon().round());
  }
}
