package fairgate.gate.risk;

import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.gate.risk.RiskService.RiskVerdict;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.StoredDecisionIds;
import fairgate.platform.http.Refusal;
import fairgate.platform.observe.Metrics;
import fairgate.platform.text.Language;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Judges requests: collects their features, assesses them by the bundle in force, and has the
/// decision recorded.
///
/// A judgement never fails a request. A source of features that fails or is late is left out; such
/// a decision is recorded as degraded, and it never spares a challenge.
public final class RiskService {
  private static final Logger LOG = LoggerFactory.getLogger(RiskService.class);

  /// Of this many usual purchases, the decision of one is kept.
  static final int USUAL_PURCHASES_PER_KEPT = 16;

  private final RiskFeature.Config config;
  private final RiskBundle.Source bundles;
  private final List<FeatureSource> ownSources;
  private final List<FeatureSource> sources;
  private final DecisionLog log;
  private final Meters meters;
  private final Subjects subjects;
  private final Context context;

  /// Time, ids and the timers of late sources.
  public record Context(Clock clock, StoredDecisionIds ids, Vertx vertx) {}

  /// The sources of features.
  ///
  /// @param own those that count nothing, so they may be asked at any time
  /// @param further asked once for each decision
  record Sources(List<FeatureSource> own, List<FeatureSource> further) {}

  RiskService(
      RiskFeature.Config config,
      RiskBundle.Source bundles,
      Sources sources,
      DecisionLog log,
      Meters meters,
      Subjects subjects,
      Context context) {
    this.config = config;
    this.bundles = bundles;
    this.ownSources = List.copyOf(sources.own());
    this.sources = Stream.concat(sources.own().stream(), sources.further().stream()).toList();
    this.log = log;
    this.meters = meters;
    this.subjects = subjects;
    this.context = context;
  }

  public boolean isOn() {
    return config.mode() != RiskFeature.Config.Mode.OFF;
  }

  /// Judges a request. Called on an event loop, where the future completes; it never fails.
  public Future<Judgement> judge(RiskRequest request) {
    if (!isOn()) {
      return Future.succeededFuture(Judgement.NONE);
    }
    long start = System.nanoTime();
    Features.Builder features = Features.builder();
    Future<Boolean> complete = collect(sources, request, features);
    return complete.map(all -> decide(request, features.build(), !all, start));
  }

  /// Whether the request's own features, without those that count requests, promise that a join
  /// passes without a challenge. Records nothing. The future never fails.
  public Future<Boolean> promisesPass(RiskRequest request) {
    if (!isEnforced() || !config.skipsChallenge()) {
      return Future.succeededFuture(false);
    }
    Features.Builder features = Features.builder();
    return collect(ownSources, request, features)
        .map(
            all ->
                all
                    && isPass(
                        bundles.bundleFor(() -> subjects.subject(request.caller())),
                        features.build()));
  }

  private static boolean isPass(CompiledBundle bundle, Features features) {
    return RiskEngine.assess(bundle, features).action() == RiskAction.PASS;
  }

  private Future<Boolean> collect(
      List<FeatureSource> from, RiskRequest request, Features.Builder features) {
    List<Future<Void>> late = new ArrayList<>(0);
    boolean failed = false;
    for (FeatureSource source : from) {
      Future<Void> done = contribution(source, request, features);
      failed |= done.failed();
      if (!done.isComplete()) {
        late.add(done);
      }
    }
    if (failed || late.isEmpty()) {
      return Future.succeededFuture(!failed);
    }
    return inTime(Future.join(late));
  }

  /// Whether the calls succeed before the patience ends. Uses a timer of the event loop:
  /// `Future.timeout` wakes another thread for each request.
  private Future<Boolean> inTime(Future<?> calls) {
    Promise<Boolean> result = Promise.promise();
    long timer =
        context
            .vertx()
            .setTimer(
                config.patience().toMillis(),
                _ -> {
                  var _ = result.tryComplete(false);
                });
    calls.onComplete(
        done -> {
          boolean _ = context.vertx().cancelTimer(timer);
          var _ = result.tryComplete(done.succeeded());
        });
    return result.future();
  }

  private static Future<Void> contribution(
      FeatureSource source, RiskRequest request, Features.Builder features) {
    try {
      return source.contribute(request, features);
    } catch (RuntimeException e) {
      LOG.error("A source of risk features failed; source={}", source.getClass().getName(), e);
      return Future.failedFuture(e);
    }
  }

  private Judgement decide(RiskRequest request, Features features, boolean degraded, long start) {
    CompiledBundle bundle = bundles.bundleFor(() -> subjects.subject(request.caller()));
    Assessment assessment = RiskEngine.assess(bundle, features);
    List<Assessment> shadows = shadows(features);
    long latency = (System.nanoTime() - start) / 1_000;
    long now = context.clock().millis();
    RiskVerdict verdict = verdict(context.ids().issue(now), bundle, assessment, features, degraded);
    RiskDecision decision =
        new RiskDecision(
            Objects.requireNonNull(verdict.decision()),
            now,
            request.route(),
            request.sale(),
            () -> subjects.of(request.sale(), request.caller()),
            features,
            assessment,
            verdict.reason(),
            verdict.remedies(),
            shadows,
            isEnforced(),
            degraded,
            latency);
    return new Judgement(verdict, () -> recordDecision(bundle, decision));
  }

  private void recordDecision(CompiledBundle bundle, RiskDecision decision) {
    if (isKept(decision)) {
      log.know(bundle.bundle());
      log.record(decision);
    }
    bundles.decided(decision);
    meters.decided(decision);
  }

  /// A purchase follows a join whose decision is kept and has the order as its outcome. A sample of
  /// the purchases about which nothing is special is enough for replays and backtests.
  private static boolean isKept(RiskDecision decision) {
    return decision.route() != RiskRoute.PURCHASE
        || Math.floorMod(decision.id().hashCode(), USUAL_PURCHASES_PER_KEPT) == 0
        || !decision.assessment().action().isUsual()
        || !decision.shadows().stream().allMatch(shadow -> shadow.action().isUsual());
  }

  private List<Assessment> shadows(Features features) {
    List<CompiledBundle> shadows = bundles.shadows();
    if (shadows.isEmpty()) {
      return List.of();
    }
    List<Assessment> assessments = new ArrayList<>(shadows.size());
    for (CompiledBundle shadow : shadows) {
      log.know(shadow.bundle());
      assessments.add(RiskEngine.assess(shadow, features));
    }
    return assessments;
  }

  private RiskVerdict verdict(
      String id,
      CompiledBundle bundle,
      Assessment assessment,
      Features features,
      boolean degraded) {
    RiskAction action = effective(assessment.action(), degraded);
    if (action.isUsual()) {
      // Most requests. Nobody is told a reason for being treated as usual.
      return new RiskVerdict(id, action, null, List.of());
    }
    List<RiskBundle.Rule> against = rulesAgainst(bundle, assessment);
    return new RiskVerdict(
        id,
        action,
        reason(against, assessment),
        Remedies.of(bundle, assessment, features, against));
  }

  private boolean isEnforced() {
    return config.mode() == RiskFeature.Config.Mode.ENFORCE;
  }

  private RiskAction effective(RiskAction action, boolean degraded) {
    if (!isEnforced()) {
      return RiskAction.SILENT_CHECK;
    }
    boolean mayPass = config.skipsChallenge() && !degraded;
    return action == RiskAction.PASS && !mayPass ? RiskAction.SILENT_CHECK : action;
  }

  /// The rules that raised the risk: those that demand the band first, then by points.
  private static List<RiskBundle.Rule> rulesAgainst(CompiledBundle bundle, Assessment assessment) {
    List<RiskBundle.Rule> against = new ArrayList<>();
    for (Assessment.Reason reason : assessment.reasons()) {
      RiskBundle.Rule rule = bundle.rule(reason.code());
      if (rule != null && (reason.points() > 0 || rule.band() != null)) {
        against.add(rule);
      }
    }
    // The sort is stable.
    against.sort(Comparator.comparing(rule -> rule.band() != assessment.band()));
    return against;
  }

  private static PublicReason reason(List<RiskBundle.Rule> against, Assessment assessment) {
    if (!against.isEmpty() && against.getFirst().band() == assessment.band()) {
      return against.getFirst().reason();
    }
    return assessment.reasons().stream()
        .filter(reason -> reason.points() >= 0)
        .map(Assessment.Reason::reason)
        .findFirst()
        .orElse(PublicReason.COMBINATION);
  }

  /// The treatment of a request, and the reasons that its sender reads.
  ///
  /// @param decision the id of the recorded decision; null when risk is off
  /// @param action the action that takes effect; [RiskAction#SILENT_CHECK] when none does
  /// @param reason the main reason; null when there is none
  /// @param remedies what would make the action milder; see [Remedies]
  public record RiskVerdict(
      @Nullable String decision,
      RiskAction action,
      @Nullable PublicReason reason,
      List<Remedy> remedies) {
    /// The verdict when risk is off.
    static final RiskVerdict NONE = new RiskVerdict(null, RiskAction.SILENT_CHECK, null, List.of());

    public RiskVerdict {
      remedies = List.copyOf(remedies);
    }

    /// The members that an affected reply has in addition: `decision_id`, `reason` and `help` as
    /// words, both as text in the reader's language, and `appeal_url`.
    public Map<String, Object> members(Language language) {
      Map<String, Object> members = new LinkedHashMap<>();
      if (decision == null) {
        return members;
      }
      members.put("decision_id", decision);
      PublicReason main = reason == null ? PublicReason.COMBINATION : reason;
      Explanation explanation = new Explanation(main, remedies);
      members.put("reason", main.word());
      members.put("reason_text", explanation.reasonText(language));
      members.put("help", remedies.stream().map(Remedy::word).toList());
      members.put("help_text", explanation.helpTexts(language));
      members.put("appeal_url", "/appeal/" + decision);
      return members;
    }

    public Refusal refusal(ErrorCode code, Language language) {
      Refusal refusal = Refusal.of(code);
      for (Map.Entry<String, Object> member : members(language).entrySet()) {
        refusal = refusal.with(member.getKey(), member.getValue());
      }
      return refusal;
    }
  }

  /// Records decisions. Never blocks and never fails; decisions that do not fit into memory are
  /// dropped and counted.
  @FunctionalInterface
  public interface DecisionLog {
    void record(RiskDecision decision);

    /// Makes a bundle known before the first decision that names it, so that its document is
    /// stored. Cheap for a bundle that is known.
    default void know(RiskBundle bundle) {}
  }

  /// The verdict on a request, and the recording of its decision.
  ///
  /// @param recorder records the decision. To be called once, unless the request is a repeat that
  ///   gets the reply of the first one: a repeat decides nothing
  public record Judgement(RiskVerdict verdict, Runnable recorder) {
    /// The judgement when risk is off.
    static final Judgement NONE = new Judgement(RiskVerdict.NONE, () -> {});
  }

  static final class Meters {
    private final Map<RiskRoute, Map<RiskAction, Counter>> decisions =
        new EnumMap<>(RiskRoute.class);
    private final Counter degraded;
    private final Counter failedRules;
    private final Timer time;

    Meters(Metrics metrics) {
      for (RiskRoute route : RiskRoute.values()) {
        Map<RiskAction, Counter> ofRoute = new EnumMap<>(RiskAction.class);
        for (RiskAction action : RiskAction.values()) {
          ofRoute.put(
              action,
              metrics.counter(
                  "fairgate_risk_decisions_total",
                  "Decisions by the action of their band, whether or not it took effect",
                  "route",
                  route.word(),
                  "action",
                  action.word()));
        }
        decisions.put(route, ofRoute);
      }
      degraded =
          metrics.counter(
              "fairgate_risk_degraded_total",
              "Decisions made without a source of features that failed or was late");
      failedRules =
          metrics.counter(
              "fairgate_risk_rule_failures_total",
              "Conditions of rules that had no value, such as after a division by zero");
      time = metrics.timer("fairgate_risk_seconds", "Time from a request to its risk");
    }

    void decided(RiskDecision decision) {
      Map<RiskAction, Counter> ofRoute = decisions.get(decision.route());
      Counter counter = ofRoute == null ? null : ofRoute.get(decision.assessment().action());
      if (counter != null) {
        counter.increment();
      }
      if (decision.degraded()) {
        degraded.increment();
      }
      failedRules.increment(decision.assessment().failedRules().size());
      time.record(decision.latencyMicros(), TimeUnit.MICROSECONDS);
    }
  }
}
