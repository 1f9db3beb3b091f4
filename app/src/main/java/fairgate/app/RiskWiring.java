package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.pages.PageSources;
import fairgate.gate.JoinSteps;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.policy.RulesInWords;
import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskFeature;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.gate.risk.RiskService;
import fairgate.gate.risk.RiskService.RiskVerdict;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.kernel.StoredDecisionIds;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.postgres.Db;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import fairgate.queue.JoinGate;
import fairgate.queue.QueueService;
import fairgate.queue.Seat;
import fairgate.sale.SaleService;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wires risk to joins and purchases.
final class RiskWiring {
  private static final Logger LOG = LoggerFactory.getLogger(RiskWiring.class);

  private final RiskService risk;
  private final RiskFeature feature;
  private final AccountFeature accounts;
  private final JoinSteps steps;

  RiskWiring(RiskFeature risk, AccountFeature accounts, JoinSteps steps) {
    this.risk = risk.service();
    this.feature = risk;
    this.accounts = accounts;
    this.steps = steps;
  }

  static PolicyService policies(FairgateConfig config, FeatureSet.ServerContext context) {
    PolicyService.Dependencies parts =
        new PolicyService.Dependencies(
            context.stores().postgres(),
            context.clock(),
            context.ids(),
            context.metrics(),
            context.audit());
    String file = config.gate().risk().bundle();
    try {
      String first = file.isEmpty() ? BuiltInBundle.json() : Files.readString(Path.of(file));
      return context.closer().add(PolicyService.open(parts, first));
    } catch (IOException e) {
      throw new StartFailed("risk.bundle: " + file + " cannot be read: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new StartFailed("risk.bundle: " + file + ":\n" + e.getMessage());
    }
  }

  /// @param sources signals
  static RiskFeature risk(
      FairgateConfig config,
      PolicyService policies,
      List<FeatureSource> sources,
      FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            RiskFeature.wire(
                Settings.risk(config.gate().risk()),
                new RiskFeature.Dependencies(
                    context.stores().postgres(),
                    context.keys(),
                    context.metrics(),
                    policies,
                    sources,
                    new RiskService.Context(
                        context.clock(), new StoredDecisionIds(context.keys()), context.vertx()))));
  }

  /// The rules for the pages of sales. While risk has no effect there is nothing to tell.
  static PageSources.RulesByLanguage rules(FairgateConfig config, PolicyService policies) {
    return Settings.risk(config.gate().risk()).mode() == RiskFeature.Config.Mode.ENFORCE
        ? policies::rulesInWords
        : _ -> RulesInWords.NONE;
  }

  /// The verdict on a join.
  Future<JoinGate.Verdict> join(QueueService.JoinRequest request) {
    RiskRequest judged =
        new RiskRequest(
            RiskRoute.JOIN,
            request.product().value(),
            request.http(),
            request.caller(),
            request.tier() > 0,
            0);
    return risk.judge(judged)
        .map(judgement -> verdict(judgement.verdict(), request).recordedBy(judgement.recorder()));
  }

  /// Whether an appeal against a decision was granted.
  boolean hasWonAppeal(Db db, String decision) {
    return feature.hasWonAppeal(db, decision);
  }

  private JoinGate.Verdict verdict(RiskVerdict verdict, QueueService.JoinRequest request) {
    Language language = language(request.http());
    String decision = verdict.decision();
    return switch (verdict.action()) {
      case PASS -> JoinGate.Verdict.inOrder(JoinGate.Level.NONE, decision);
      case SILENT_CHECK -> JoinGate.Verdict.inOrder(JoinGate.Level.USUAL, decision);
      case CHALLENGE ->
          JoinGate.Verdict.refused(
              verdict.refusal(ErrorCode.CHALLENGE_REQUIRED, language),
              JoinGate.Level.HARDER,
              decision);
      case SLIDER -> stepped(JoinStep.SLIDER, verdict, request);
      case CODE -> stepped(JoinStep.CODE, verdict, request);
      case PASSKEY -> stepped(JoinStep.PASSKEY, verdict, request);
      case SEAT_BEHIND -> JoinGate.Verdict.seated(Seat.BEHIND, decision, verdict.members(language));
      case HOLD -> JoinGate.Verdict.seated(Seat.HELD, decision, verdict.members(language));
      case REFUSE ->
          JoinGate.Verdict.refused(
              verdict.refusal(ErrorCode.RISK_REFUSED, language), JoinGate.Level.NONE, decision);
    };
  }

  private JoinGate.Verdict stepped(
      JoinStep needed, RiskVerdict verdict, QueueService.JoinRequest request) {
    String decision = Objects.requireNonNull(verdict.decision());
    Language language = language(request.http());
    return switch (steps.standing(needed, request.product(), request.http(), decision)) {
      case JoinSteps.Standing.Passed() -> JoinGate.Verdict.inOrder(JoinGate.Level.USUAL, decision);
      case JoinSteps.Standing.Behind() ->
          JoinGate.Verdict.seated(Seat.BEHIND, decision, verdict.members(language));
      case JoinSteps.Standing.Missing(JoinStep step, String url) ->
          JoinGate.Verdict.refused(
              verdict
                  .refusal(ErrorCode.CHALLENGE_REQUIRED, language)
                  .with("step", step.word())
                  .with("step_url", url),
              JoinGate.Level.STEP,
              decision);
    };
  }

  /// Whether the sender of a request is likely to join without a challenge. Only accounts can.
  Future<Boolean> spares(Request request, ProductId product) {
    return accounts
        .accountOf(request)
        .compose(
            account ->
                account.isEmpty()
                    ? Future.succeededFuture(false)
                    : risk.promisesPass(
                        request(RiskRoute.JOIN, product.value(), request, request.caller(), 0)))
        .otherwise(false);
  }

  /// Moves the place of a risky purchase behind all others.
  interface MoveBehind {
    /// Whether it was moved; a place that a decision has seated before is not.
    Future<Boolean> move(ProductId product, SessionId session, String decision, Seat seat);
  }

  /// The refusal of a purchase whose risk is too high, or which loses its turn by it. The future
  /// never fails.
  Future<SaleService.RiskCheck> purchase(SaleService.PurchaseRequest request, MoveBehind places) {
    if (!risk.isOn()) {
      return Future.succeededFuture(SaleService.RiskCheck.PASSED);
    }
    Request http = request.http();
    return account(http)
        .compose(
            _ ->
                risk.judge(
                    request(
                        RiskRoute.PURCHASE,
                        request.product().value(),
                        http,
                        request.caller().get().in(request.session()),
                        request.quantity())))
        .compose(
            judgement ->
                refusal(request, judgement.verdict(), places)
                    .map(refusal -> new SaleService.RiskCheck(refusal, judgement.recorder())));
  }

  private Future<Optional<Refusal>> refusal(
      SaleService.PurchaseRequest request, RiskVerdict verdict, MoveBehind places) {
    return switch (verdict.action()) {
      case SEAT_BEHIND -> moved(request, verdict, Seat.BEHIND, places);
      case HOLD -> moved(request, verdict, Seat.HELD, places);
      case PASS, SILENT_CHECK, CHALLENGE, SLIDER, CODE, PASSKEY, REFUSE ->
          Future.succeededFuture(refusal(verdict, request.http()));
    };
  }

  private static Future<Optional<Refusal>> moved(
      SaleService.PurchaseRequest request, RiskVerdict verdict, Seat seat, MoveBehind places) {
    String decision = Objects.requireNonNull(verdict.decision());
    return places
        .move(request.product(), request.session(), decision, seat)
        .map(
            moved ->
                moved
                    ? Optional.of(
                        verdict
                            .refusal(ErrorCode.NOT_READY, language(request.http()))
                            .with("seat", seat.wire()))
                    : Optional.<Refusal>empty())
        .otherwise(
            failure -> {
              LOG.warn(
                  "Could not move the place of a risky purchase; the purchase goes on; productId={}",
                  request.product().value(),
                  failure);
              return Optional.empty();
            });
  }

  /// After this, the caller of the request has its account. A lookup that fails leaves it out.
  private Future<Optional<String>> account(@Nullable Request http) {
    return http == null
        ? Future.succeededFuture(Optional.empty())
        : accounts.accountOf(http).otherwise(Optional.empty());
  }

  private static RiskRequest request(
      RiskRoute route, String sale, @Nullable Request http, Caller caller, int quantity) {
    return new RiskRequest(route, sale, http, caller, false, quantity);
  }

  private static Optional<Refusal> refusal(RiskVerdict verdict, @Nullable Request http) {
    return verdict.action() == RiskAction.REFUSE
        ? Optional.of(verdict.refusal(ErrorCode.RISK_REFUSED, language(http)))
        : Optional.empty();
  }

  private static Language language(@Nullable Request http) {
    return http == null ? Languages.DEFAULT : http.language();
  }
}
