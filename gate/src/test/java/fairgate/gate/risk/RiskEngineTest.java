package fairgate.gate.risk;

import static fairgate.gate.risk.RiskFixture.bundle;
import static fairgate.gate.risk.RiskFixture.features;
import static fairgate.gate.risk.RiskFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.risk.RiskEngine.Assessment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RiskEngineTest {
  @ParameterizedTest
  @CsvSource({
    "-100, LOW, PASS",
    "0, LOW, PASS",
    "19, LOW, PASS",
    "20, MEDIUM, SILENT_CHECK",
    "49, MEDIUM, SILENT_CHECK",
    "50, HIGH, SEAT_BEHIND",
    "79, HIGH, SEAT_BEHIND",
    "80, SEVERE, HOLD",
    "99, SEVERE, HOLD",
    "100, CRITICAL, REFUSE",
  })
  void everyScoreHasItsBandAndAction(int points, RiskBundle.Band band, RiskAction action) {
    Assessment assessment = RiskEngine.assess(bundle(rule("one", "true", points)), features());
    assertThat(assessment.score()).isEqualTo(points);
    assertThat(assessment.band()).isEqualTo(band);
    assertThat(assessment.action()).isEqualTo(action);
  }

  @Test
  void pointsAreAddedAndTheReasonsAreInOrder() {
    CompiledBundle bundle =
        bundle(
            rule("trusted", "phone_verified", -15),
            rule("small", "quantity > 1", 5),
            rule("large", "network_hosting", 30),
            rule("other", "network_tor", 50));
    Assessment assessment =
        RiskEngine.assess(
            bundle, features("phone_verified", true, "quantity", 2, "network_hosting", true));
    assertThat(assessment.score()).isEqualTo(20);
    assertThat(assessment.reasons())
        .extracting(Assessment.Reason::code)
        .containsExactly("large", "small", "trusted");
    assertThat(assessment.bundleHash()).isEqualTo(bundle.hash());
    assertThat(assessment.schema()).isEqualTo(1);
  }

  @Test
  void conditionsAreRightForDefaultsAndForOtherValues() {
    CompiledBundle bundle =
        bundle(
            rule("none", "joins_of_site == 0", 1),
            rule("guest", "!signed_in && country != 'TW'", 2),
            rule("dotted", ".quantity > 1", 4),
            rule("listed", "country in ['DE', '']", 8),
            rule("fails", "10 / quantity > 3", 16),
            rule("mixed", "signed_in || quantity == 2", 32));
    assertThat(RiskEngine.assess(bundle, features()).score()).isEqualTo(1 + 2 + 8);
    assertThat(RiskEngine.assess(bundle, features()).failedRules()).containsExactly("fails");
    assertThat(RiskEngine.assess(bundle, features("quantity", 2)).score())
        .isEqualTo(1 + 2 + 4 + 8 + 16 + 32);
    assertThat(RiskEngine.assess(bundle, features("quantity", 2)).failedRules()).isEmpty();
    assertThat(RiskEngine.assess(bundle, features("country", "TW", "joins_of_site", 3)).score())
        .isZero();
    assertThat(RiskEngine.assess(bundle, features("signed_in", true, "country", "FR")).score())
        .isEqualTo(1 + 32);
  }

  @Test
  void aRuleCanDemandABandButNeverLowersOne() {
    String demands = rule("demands", "signed_in", 0, "\"band\": \"critical\"");
    String mild = rule("mild", "has_cookie", 0, "\"band\": \"medium\"");
    CompiledBundle bundle = bundle(demands, mild, rule("points", "network_tor", 60));
    assertThat(RiskEngine.assess(bundle, features("signed_in", true)).action())
        .isEqualTo(RiskAction.REFUSE);
    assertThat(RiskEngine.assess(bundle, features("has_cookie", true, "network_tor", true)).band())
        .isEqualTo(RiskBundle.Band.HIGH);
    assertThat(RiskEngine.assess(bundle, features("has_cookie", true)).band())
        .isEqualTo(RiskBundle.Band.MEDIUM);
  }

  @Test
  void aShadowRuleIsReportedAndChangesNothing() {
    Assessment assessment =
        RiskEngine.assess(
            bundle(rule("shadow", "true", 100, "\"shadow\": true", "\"band\": \"critical\"")),
            features());
    assertThat(assessment.action()).isEqualTo(RiskAction.PASS);
    assertThat(assessment.score()).isZero();
    assertThat(assessment.reasons()).isEmpty();
    assertThat(assessment.shadow()).containsExactly("shadow");
  }

  @Test
  void aRuleThatFailsDoesNotMatchAndIsNamed() {
    Assessment assessment =
        RiskEngine.assess(
            bundle(rule("fails", "10 / quantity > 1", 100), rule("holds", "true", 25)), features());
    assertThat(assessment.score()).isEqualTo(25);
    assertThat(assessment.failedRules()).containsExactly("fails");
  }

  @Test
  void theModelIsOneReasonWithinItsCap() {
    String model =
        """
        "model": {"name": "m", "base": 0.5, "scale": 4, "trees": [
          {"feature": "paid_orders", "below": 1,
           "yes": {"feature": "signed_in", "below": 1, "yes": {"leaf": %s}, "no": {"leaf": 0.5}},
           "no": {"leaf": -2.5}}]},""";
    CompiledBundle usual =
        RiskFixture.compile(RiskFixture.with(model.formatted("1.5"), rule("one", "true", 30)));
    assertThat(RiskEngine.assess(usual, features()).score()).isEqualTo(38);
    assertThat(RiskEngine.assess(usual, features("signed_in", true)).score()).isEqualTo(34);
    Assessment trusted = RiskEngine.assess(usual, features("paid_orders", 3));
    assertThat(trusted.score()).isEqualTo(22);
    assertThat(trusted.reasons()).contains(new Assessment.Reason("model", -8, PublicReason.TRUST));
    CompiledBundle wild =
        RiskFixture.compile(RiskFixture.with(model.formatted("1e9"), rule("one", "true", 30)));
    assertThat(RiskEngine.assess(wild, features()).score()).isEqualTo(50);
  }

  @Test
  void recordedFeaturesGiveTheSameAssessmentAgain() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    Features features =
        features(
            "network_hosting", true, "user_agent_kind", "tool", "unpaid_orders", 2, "quantity", 1);
    Assessment live = RiskEngine.assess(bundle, features);
    CompiledBundle again = RiskFixture.compile(bundle.bundle().json());
    assertThat(RiskEngine.assess(again, Features.decode(features.encode()))).isEqualTo(live);
    assertThat(live.score()).isGreaterThan(50);
  }

  /// People with assistive technology, without scripts, or with one tap.
  @Test
  void absentOrScarceNumbersOfBehaviorMatchNoRuleInObservation() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    assertThat(RiskEngine.assess(bundle, RiskFixture.features()).shadow()).isEmpty();
    Features oneTap = RiskFixture.features("behavior_present", true, "page_ms", 900, "presses", 1);
    Features keyboard =
        RiskFixture.features(
            "behavior_present",
            true,
            "key_presses",
            12,
            "key_interval_ms",
            300,
            "key_interval_spread",
            38);
    assertThat(RiskEngine.assess(bundle, oneTap).shadow()).isEmpty();
    assertThat(RiskEngine.assess(bundle, keyboard).shadow()).isEmpty();
    int stranger = RiskEngine.assess(bundle, RiskFixture.features()).score();
    assertThat(RiskEngine.assess(bundle, oneTap).score()).isEqualTo(stranger);
  }

  @Test
  void movementsOfProgramsAreRecordedAndDoNotCountYet() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    Assessment assessment =
        RiskEngine.assess(
            bundle,
            RiskFixture.features(
                "behavior_present",
                true,
                "pointer_moves",
                40,
                "pointer_straightness",
                99,
                "movement_repeated",
                2,
                "presses",
                15,
                "press_interval_ms",
                100,
                "press_interval_spread",
                3));
    assertThat(assessment.shadow())
        .containsExactly("straight_movement", "repeated_movement", "equal_presses", "many_presses");
    assertThat(assessment.score())
        .isEqualTo(RiskEngine.assess(bundle, RiskFixture.features()).score());
  }

  @Test
  void aStrangerGetsTheUsualChallengeAndAVerifiedBuyerNone() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    assertThat(RiskEngine.assess(bundle, features()).action()).isEqualTo(RiskAction.SILENT_CHECK);
    assertThat(
            RiskEngine.assess(bundle, features("signed_in", true, "phone_verified", true)).action())
        .isEqualTo(RiskAction.PASS);
  }

  /// A program makes a passkey for each of its accounts without a device.
  @Test
  void aPasskeyOfANewAccountIsNoEvidence() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    Features fresh = features("signed_in", true, "has_passkey", true, "account_age_hours", 30);
    Features without = features("signed_in", true, "account_age_hours", 30);
    assertThat(RiskEngine.assess(bundle, fresh)).isEqualTo(RiskEngine.assess(bundle, without));
    assertThat(RiskEngine.assess(bundle, fresh).action()).isEqualTo(RiskAction.SILENT_CHECK);
    for (Features old :
        new Features[] {
          features("signed_in", true, "has_passkey", true, "account_age_hours", 720),
          features("signed_in", true, "has_passkey", true, "paid_orders", 1)
        }) {
      assertThat(RiskEngine.assess(bundle, old).reasons())
          .extracting(Assessment.Reason::code)
          .contains("passkey")
          .doesNotContain("no_evidence");
    }
  }

  /// A client with one of these signs is served after people, also with a verified telephone.
  @Test
  void aVerifiedTelephoneDoesNotOutweighTheSignsOfAProgram() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    Object[][] programs = {
      {"user_agent_kind", "bot"},
      {"sec_fetch_missing", true},
      {"accounts_of_device_key", 11, "device_key_present", true},
      {"route", "purchase", "device_key_changed", true}
    };
    for (Object[] signs : programs) {
      Object[] all = Arrays.copyOf(signs, signs.length + 2);
      all[signs.length] = "phone_verified";
      all[signs.length + 1] = true;
      assertThat(RiskEngine.assess(bundle, features(all)).action())
          .as(Arrays.toString(all))
          .isEqualTo(RiskAction.SEAT_BEHIND);
    }
  }

  /// People whose browser shows one weak sign, or two, are treated as all others.
  @Test
  void anUnusualBrowserAloneIsNotSeatedBehind() {
    CompiledBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody");
    Object[][] people = {
      {"accept_language_missing", true},
      {"sec_fetch_missing", true, "device_key_present", true},
      {"device_key_changed", true, "device_key_present", true},
      {"accounts_of_device_key", 4, "device_key_present", true},
      // A school in which one person runs a program.
      {
        "devices_of_address",
        300,
        "devices_of_network",
        300,
        "joins_equal_interval",
        true,
        "failures_of_address",
        5_000
      },
      {"network_vpn", true, "accept_language_missing", true},
      {"route", "purchase"},
      // A campus, while the database does not answer.
      {
        "signed_in",
        true,
        "account_age_hours",
        -1,
        "devices_of_address",
        300,
        "devices_of_network",
        300
      },
      // Another device of the same account.
      {
        "route",
        "purchase",
        "signed_in",
        true,
        "device_key_changed",
        true,
        "device_key_present",
        true
      }
    };
    for (Object[] signs : people) {
      assertThat(RiskEngine.assess(bundle, features(signs)).action())
          .as(Arrays.toString(signs))
          .isEqualTo(RiskAction.SILENT_CHECK);
    }
  }
}
