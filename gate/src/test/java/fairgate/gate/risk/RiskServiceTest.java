package fairgate.gate.risk;

import static fairgate.gate.risk.RiskFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.RiskFeature.RequestFeatures;
import fairgate.gate.risk.RiskService.Judgement;
import fairgate.gate.risk.RiskService.RiskVerdict;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.StoredDecisionIds;
import fairgate.platform.observe.Metrics;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RiskServiceTest {
  private static final Caller CALLER =
      new Caller(
          Objects.requireNonNull(ClientAddress.parse("203.0.113.9")),
          "agent",
          GateFixture.DEVICE.id(),
          null,
          null);
  private static final Feature TOR = FeatureSchema.latest().feature("network_tor");

  private final GateFixture fixture = new GateFixture();
  private final Metrics metrics = new Metrics();
  private final List<RiskDecision> recorded = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    fixture.close();
  }

  private static RiskFeature.Config config(RiskFeature.Config.Mode mode) {
    return new RiskFeature.Config(mode, true, Duration.ofDays(1), 100, Duration.ofSeconds(60));
  }

  private RiskService service(
      RiskFeature.Config config, CompiledBundle bundle, FeatureSource... sources) {
    return new RiskService(
        config,
        _ -> bundle,
        new RiskService.Sources(List.of(new RequestFeatures()), List.of(sources)),
        recorded::add,
        new RiskService.Meters(metrics),
        new Subjects(fixture.keys),
        new RiskService.Context(fixture.clock, new StoredDecisionIds(fixture.keys), fixture.vertx));
  }

  private RiskVerdict judge(RiskService service) {
    Judgement judgement = judgement(service);
    judgement.recorder().run();
    return judgement.verdict();
  }

  private static Judgement judgement(RiskService service) {
    return judgement(service, RiskRoute.JOIN);
  }

  private static Judgement judgement(RiskService service, RiskRoute route) {
    return service.judge(new RiskRequest(route, "7", null, CALLER, false, 0)).await();
  }

  private int recordedOf(int purchases, CompiledBundle bundle) {
    recorded.clear();
    RiskService service = service(config(RiskFeature.Config.Mode.OBSERVE), bundle);
    for (int i = 0; i < purchases; i++) {
      judgement(service, RiskRoute.PURCHASE).recorder().run();
    }
    return recorded.size();
  }

  @Test
  void ofUsualPurchasesASampleIsRecordedAndOfOthersAll() {
    int purchases = 100 * RiskService.USUAL_PURCHASES_PER_KEPT;
    assertThat(recordedOf(purchases, always(0))).as("usual").isBetween(40, 200);
    assertThat(recordedOf(100, always(60))).as("adverse").isEqualTo(100);
  }

  @Test
  void aRepeatIsJudgedWithoutARecord() {
    RiskService service = service(config(RiskFeature.Config.Mode.ENFORCE), always(60));
    assertThat(judgement(service).verdict().action()).isEqualTo(RiskAction.SEAT_BEHIND);
    assertThat(recorded).isEmpty();
  }

  private static CompiledBundle always(int points, String... further) {
    return RiskFixture.bundle(rule("always", "true", points, further));
  }

  @Test
  void anEnforcedVerdictIsRecordedWithItsFeaturesAndExplained() {
    RiskService service =
        service(
            config(RiskFeature.Config.Mode.ENFORCE),
            RiskFixture.bundle(
                rule(
                    "always",
                    "!phone_verified && requests_of_device > 5",
                    60,
                    "\"help\": [\"verify_phone\", \"wait\"]")),
            (_, features) -> {
              features.set(FeatureSchema.latest().feature("requests_of_device"), 6);
              features.set(TOR, true);
              return FeatureSource.DONE;
            });
    RiskVerdict verdict = judge(service);
    assertThat(verdict.action()).isEqualTo(RiskAction.SEAT_BEHIND);
    assertThat(verdict.members(Language.EN))
        .containsEntry("decision_id", recorded.getFirst().id())
        .containsEntry("reason", "network")
        .containsEntry("help", List.of("verify_phone", "wait"))
        .containsEntry("appeal_url", "/appeal/" + recorded.getFirst().id());
    assertThat(verdict.members(Language.ZH_HANT).get("reason_text")).asString().contains("網路");
    RiskDecision decision = recorded.getFirst();
    assertThat(decision.features().flag(TOR)).isTrue();
    assertThat(decision.features().text(FeatureSchema.latest().feature("route"))).isEqualTo("join");
    assertThat(decision.applied()).isTrue();
    assertThat(decision.degraded()).isFalse();
    assertThat(decision.hashes().get().toString())
        .doesNotContain("203.0.113.9", GateFixture.DEVICE.id().value());
    assertThat(metrics.scrape())
        .contains("fairgate_risk_decisions_total{action=\"seat_behind\",route=\"join\"} 1.0");
  }

  @Test
  void observingRecordsTheActionAndAppliesNone() {
    RiskVerdict verdict = judge(service(config(RiskFeature.Config.Mode.OBSERVE), always(100)));
    assertThat(verdict.action()).isEqualTo(RiskAction.SILENT_CHECK);
    assertThat(recorded.getFirst().assessment().action()).isEqualTo(RiskAction.REFUSE);
    assertThat(recorded.getFirst().applied()).isFalse();
  }

  @Test
  void offJudgesNothing() {
    assertThat(judge(service(config(RiskFeature.Config.Mode.OFF), always(100))))
        .isEqualTo(RiskVerdict.NONE);
    assertThat(recorded).isEmpty();
  }

  @Test
  void aLowRiskPassesUnlessTheSettingsWantAChallenge() {
    CompiledBundle low = always(0);
    assertThat(judge(service(config(RiskFeature.Config.Mode.ENFORCE), low)).action())
        .isEqualTo(RiskAction.PASS);
    RiskFeature.Config never =
        new RiskFeature.Config(
            RiskFeature.Config.Mode.ENFORCE,
            false,
            Duration.ofDays(1),
            100,
            Duration.ofSeconds(60));
    assertThat(judge(service(never, low)).action()).isEqualTo(RiskAction.SILENT_CHECK);
  }

  @Test
  void aSourceThatFailsDegradesTheDecisionAndNeverSparesTheChallenge() {
    List<FeatureSource> failing =
        List.of(
            (_, _) -> Future.failedFuture("away"),
            (_, _) -> {
              throw new IllegalStateException("broken");
            });
    for (FeatureSource source : failing) {
      recorded.clear();
      assertThat(
              judge(service(config(RiskFeature.Config.Mode.ENFORCE), always(0), source)).action())
          .isEqualTo(RiskAction.SILENT_CHECK);
      assertThat(recorded.getFirst().degraded()).isTrue();
      assertThat(
              judge(service(config(RiskFeature.Config.Mode.ENFORCE), always(60), source)).action())
          .isEqualTo(RiskAction.SEAT_BEHIND);
    }
    assertThat(metrics.scrape()).contains("fairgate_risk_degraded_total 4.0");
  }

  @Test
  void aConditionWithoutAValueDoesNotMatchAndIsCounted() {
    CompiledBundle bundle =
        RiskFixture.bundle(
            rule("fails", "10 / quantity > 1", 100),
            rule("date", "timestamp(country) < timestamp('2026-01-01T00:00:00Z')", 100));
    assertThat(judge(service(config(RiskFeature.Config.Mode.ENFORCE), bundle)).action())
        .isEqualTo(RiskAction.PASS);
    assertThat(recorded.getFirst().assessment().failedRules()).containsExactly("fails", "date");
    assertThat(metrics.scrape()).contains("fairgate_risk_rule_failures_total 2.0");
  }

  @Test
  void aSourceThatIsTooLateIsLeftOut() {
    RiskFeature.Config hasty =
        new RiskFeature.Config(
            RiskFeature.Config.Mode.ENFORCE, true, Duration.ofDays(1), 100, Duration.ofMillis(5));
    Promise<Void> never = Promise.promise();
    assertThat(judge(service(hasty, always(60), (_, _) -> never.future())).action())
        .isEqualTo(RiskAction.SEAT_BEHIND);
    assertThat(recorded.getFirst().degraded()).isTrue();
  }

  @Test
  void aHistoryThatIsLateIsUnknownAndNotThatOfANewAccount() {
    Feature age = FeatureSchema.latest().feature("account_age_hours");
    Promise<List<OwnHistory.History>> late = Promise.promise();
    OwnHistory source = new OwnHistory(new Subjects(fixture.keys), _ -> late.future());
    Caller buyer =
        new Caller(CALLER.address(), CALLER.userAgent(), CALLER.device(), null, "account");
    Features.Builder features = Features.builder();
    Future<Void> done =
        source.contribute(new RiskRequest(RiskRoute.JOIN, "7", null, buyer, false, 0), features);
    assertThat(features.build().value(age)).isEqualTo(-1L);
    late.complete(List.of(new OwnHistory.History(50, false, true, false, false, 0, 0, 0, 0, 0, 0)));
    var _ = done.await();
    assertThat(features.build().value(age)).isEqualTo(50L);
  }

  @Test
  void aSourceThatAnswersLaterIsWaitedFor() {
    CompiledBundle bundle = RiskFixture.bundle(rule("tor", "network_tor", 60));
    FeatureSource later =
        (_, features) -> fixture.vertx.timer(1).onSuccess(_ -> features.set(TOR, true)).mapEmpty();
    assertThat(judge(service(config(RiskFeature.Config.Mode.ENFORCE), bundle, later)).action())
        .isEqualTo(RiskAction.SEAT_BEHIND);
    assertThat(recorded.getFirst().degraded()).isFalse();
  }

  @Test
  void aRuleThatDemandsTheBandIsTheReasonWhateverItsPoints() {
    CompiledBundle bundle =
        RiskFixture.bundle(
            rule("heavy", "true", 25),
            rule("clear", "true", 1, "\"band\": \"high\"").replace("network", "device"));
    RiskVerdict verdict = judge(service(config(RiskFeature.Config.Mode.ENFORCE), bundle));
    assertThat(verdict.action()).isEqualTo(RiskAction.SEAT_BEHIND);
    assertThat(verdict.reason()).isEqualTo(PublicReason.DEVICE);
  }

  @Test
  void whatTheBuyerHasDoneIsNotOfferedAsHelp() {
    FeatureSource verified =
        (_, features) -> {
          features.set(FeatureSchema.latest().feature("phone_verified"), true);
          return FeatureSource.DONE;
        };
    RiskVerdict verdict =
        judge(
            service(
                config(RiskFeature.Config.Mode.ENFORCE),
                RiskFixture.bundle(
                    rule(
                        "no_person",
                        "!person_verified",
                        60,
                        "\"help\": [\"verify_phone\", \"verify_person\"]")),
                verified));
    assertThat(verdict.remedies()).containsExactly(Remedy.VERIFY_PERSON);
  }

  @Test
  void subjectsFollowTheAccountAndDevicesTheSale() {
    Subjects subjects = new Subjects(fixture.keys);
    Caller signedIn = new Caller(CALLER.address(), "other", null, null, "acc_1");
    assertThat(subjects.subject(signedIn)).isEqualTo(subjects.ofAccount("acc_1"));
    assertThat(subjects.subject(CALLER)).isNotEqualTo(subjects.subject(Caller.NONE)).hasSize(22);
    assertThat(subjects.device("7", CALLER)).isNotEqualTo(subjects.device("8", CALLER));
    assertThat(subjects.device("7", Caller.NONE)).isNull();
  }
}
