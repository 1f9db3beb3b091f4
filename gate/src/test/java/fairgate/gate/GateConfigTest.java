package fairgate.gate;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.GateConfig.ChallengeKind;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.WidgetConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GateConfigTest {
  private static final GateConfig DEFAULTS = GateConfig.defaults();

  @Test
  void theDefaultsAreSafe() {
    assertThat(DEFAULTS.challenge()).isEqualTo(ChallengeKind.ALTCHA);
    assertThat(DEFAULTS.problems()).isEmpty();
    assertThat(DEFAULTS.problemsInProduction()).isEmpty();
  }

  @Test
  void theTestChallengeIsRefusedInProduction() {
    GateConfig test = DEFAULTS.withChallenge(ChallengeKind.TEST);
    assertThat(test.problems()).isEmpty();
    assertThat(test.problemsInProduction()).hasSize(1);
  }

  @Test
  void turnstileNeedsItsKeys() {
    assertThat(DEFAULTS.withChallenge(ChallengeKind.TURNSTILE).problems()).hasSize(2);
    assertThat(turnstile("ftp://x", "key", "secret").problems()).hasSize(1);
    assertThat(turnstile("http://", "key", "secret").problems()).hasSize(1);
    assertThat(turnstile("https://x", "key", "secret").problems()).isEmpty();
  }

  @Test
  void turnstilesTestKeysAreRefusedInProduction() {
    for (String kind : List.of("1", "2", "3")) {
      GateConfig config =
          turnstile(
              "https://x",
              kind + "x00000000000000000000AA",
              kind + "x0000000000000000000000000000000AA");
      assertThat(config.problemsInProduction()).hasSize(2);
    }
    assertThat(turnstile("https://x", "0x4AAA", "0x4BBB").problemsInProduction()).isEmpty();
  }

  @Test
  void impossibleWorkIsRefused() {
    GateConfig config =
        new GateConfig(
            ChallengeKind.ALTCHA,
            new AltchaConfig("MD5", 0, "XY", Duration.ZERO),
            WidgetConfig.defaults());
    assertThat(config.problems()).hasSize(4);
  }

  @Test
  void theSecretIsNotPrinted() {
    assertThat(turnstile("https://x", "key", "very-secret").toString())
        .doesNotContain("very-secret");
  }

  private static GateConfig turnstile(String url, String siteKey, String secret) {
    return new GateConfig(
        ChallengeKind.TURNSTILE,
        AltchaConfig.defaults(),
        new WidgetConfig(
            url, siteKey, secret, List.of("shop.example"), true, true, Duration.ofSeconds(2)));
  }
}
