package fairgate.redeem;

import fairgate.account.AccountFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.gate.risk.RiskService;
import fairgate.gate.risk.RiskService.Judgement;
import fairgate.gate.risk.RiskService.RiskVerdict;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.text.Languages;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Judges the risk of claims. Appeals that were granted exempt the person.
record ClaimRisk(RiskService risk, AccountFeature accounts, BanService bans, Vertx vertx) {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimRisk.class);
  private static final int JUDGE_SECONDS = 2;

  /// The judgement of a claim.
  ///
  /// @param refusal empty when the claim may go on
  /// @param recorder records the decision; called when the judgement could change the outcome
  record Check(Optional<Refusal> refusal, Runnable recorder) {
    private static final Check PASSED = new Check(Optional.empty(), () -> {});
  }

  /// The refusal of a claim whose risk is too high. Blocks; never throws.
  Check check(ClaimRequest request) {
    if (!risk.isOn() || bans.isExemptAfterAppeal(request.claimant().caller())) {
      return Check.PASSED;
    }
    Promise<Judgement> judged = Promise.promise();
    vertx.runOnContext(_ -> judge(request).onComplete(judged));
    try {
      Judgement judgement = judged.future().await(JUDGE_SECONDS, TimeUnit.SECONDS);
      return new Check(refusal(judgement.verdict(), request.http()), judgement.recorder());
    } catch (TimeoutException e) {
      LOG.warn("The risk of a claim was not judged in time; the claim goes on", e);
      return Check.PASSED;
    }
  }

  /// The caller has its account after the lookup; one that fails leaves it out.
  private Future<Judgement> judge(ClaimRequest request) {
    Request http = request.http();
    return http == null
        ? judge(request, null, request.claimant().caller())
        : accounts
            .accountOf(http)
            .otherwise(Optional.empty())
            .compose(_ -> judge(request, http, http.caller()));
  }

  private Future<Judgement> judge(ClaimRequest request, @Nullable Request http, Caller caller) {
    return risk.judge(
        new RiskRequest(RiskRoute.CLAIM, request.productId(), http, caller, false, 1));
  }

  private static Optional<Refusal> refusal(RiskVerdict verdict, @Nullable Request http) {
    return verdict.action() == RiskAction.REFUSE
        ? Optional.of(
            verdict.refusal(
                ErrorCode.RISK_REFUSED, http == null ? Languages.DEFAULT : http.language()))
        : Optional.empty();
  }
}
