package fairgate.gate.risk;

import static fairgate.gate.risk.RiskFixture.features;
import static fairgate.gate.risk.RiskFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.risk.RiskEngine.Assessment;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RemediesTest {
  private static final CompiledBundle BUILT_IN = new BuiltInBundle().bundleFor(() -> "");

  private static List<Remedy> remedies(CompiledBundle bundle, Object... values) {
    Features features = features(values);
    Assessment assessment = RiskEngine.assess(bundle, features);
    List<RiskBundle.Rule> against =
        assessment.reasons().stream()
            .map(reason -> Objects.requireNonNull(bundle.rule(reason.code())))
            .filter(rule -> rule.points() > 0)
            .toList();
    return Remedies.of(bundle, assessment, features, against);
  }

  private static String help(String words) {
    return "\"help\": [" + words.replaceAll("[a-z_]+", "\"$0\"") + "]";
  }

  @Test
  void aRobotIsNotAskedForATelephone() {
    assertThat(remedies(BUILT_IN, "user_agent_kind", "bot", "device_key_present", true))
        .containsExactly(Remedy.CURRENT_BROWSER);
  }

  @Test
  void aFarmIsOnlyOfferedTheAppeal() {
    assertThat(remedies(BUILT_IN, "accounts_of_device_key", 11)).containsExactly(Remedy.APPEAL);
  }

  @Test
  void aRemedyThatLowersTheActionAloneIsTold() {
    // 20 of a stranger, 20 of a data centre, 15 of Tor.
    assertThat(remedies(BUILT_IN, "network_hosting", true, "network_tor", true))
        .containsExactly(Remedy.SIGN_IN, Remedy.VERIFY_PHONE, Remedy.OTHER_NETWORK);
    assertThat(
            remedies(
                BUILT_IN,
                "signed_in",
                true,
                "account_age_hours",
                800,
                "webdriver",
                true,
                "network_hosting",
                true))
        .containsExactly(Remedy.CURRENT_BROWSER, Remedy.OTHER_NETWORK);
  }

  @Test
  void remediesThatHelpOnlyTogetherAreToldTogether() {
    CompiledBundle bundle =
        RiskFixture.bundle(
            rule("tor_exit", "network_tor", 60, help("other_network")),
            rule("hurry", "requests_of_device > 5", 60, help("wait")),
            rule("no_phone", "!phone_verified", 1, help("verify_phone")));
    assertThat(remedies(bundle, "network_tor", true, "requests_of_device", 6))
        .as("each alone leaves 61 of 121 points, which is milder")
        .containsExactly(Remedy.OTHER_NETWORK, Remedy.WAIT);
    CompiledBundle demanding =
        RiskFixture.bundle(
            rule("tor_exit", "network_tor", 1, "\"band\": \"high\"", help("other_network")),
            rule("hurry", "requests_of_device > 5", 1, "\"band\": \"high\"", help("wait")),
            rule("no_phone", "!phone_verified", 1, help("verify_phone")));
    assertThat(remedies(demanding, "network_tor", true, "requests_of_device", 6))
        .containsExactly(Remedy.OTHER_NETWORK, Remedy.WAIT);
  }

  @Test
  void aGuestSignsInBeforeAVerification() {
    CompiledBundle bundle =
        RiskFixture.bundle(rule("no_phone", "!phone_verified", 60, help("sign_in, verify_phone")));
    assertThat(remedies(bundle)).containsExactly(Remedy.SIGN_IN, Remedy.VERIFY_PHONE);
    assertThat(remedies(bundle, "signed_in", true)).containsExactly(Remedy.VERIFY_PHONE);
  }

  @Test
  void anotherKeyOfAPlaceDoesNotPassWithTime() {
    CompiledBundle bundle =
        RiskFixture.bundle(rule("changed", "device_key_changed", 60, help("wait, appeal")));
    assertThat(remedies(bundle, "route", "join", "device_key_changed", true))
        .containsExactly(Remedy.WAIT, Remedy.APPEAL);
    assertThat(remedies(bundle, "route", "purchase", "device_key_changed", true))
        .containsExactly(Remedy.APPEAL);
  }
}
