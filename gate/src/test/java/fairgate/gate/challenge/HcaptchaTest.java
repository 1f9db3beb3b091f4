package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.WidgetChallenge.FallbackChallenge;
import fairgate.kernel.ChallengeResult;
import fairgate.testkit.FakeHcaptcha;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HcaptchaTest {
  private static final ChallengeResult UNAVAILABLE = new ChallengeResult.Unavailable();
  private static final ChallengeResult ACCEPTED = new ChallengeResult.Accepted(null);

  private final GateFixture gate = new GateFixture();
  private final FakeHcaptcha service = FakeHcaptcha.start(gate.clock);
  private final WidgetChallenge hcaptcha = hcaptcha(FakeHcaptcha.SITE_KEY, FakeHcaptcha.SECRET);

  @AfterEach
  void close() {
    hcaptcha.close();
    service.close();
    gate.close();
  }

  private WidgetChallenge hcaptcha(String siteKey, String secret) {
    return WidgetChallenge.hcaptcha(
        new WidgetConfig(
            service.url(),
            siteKey,
            secret,
            List.of("shop.example"),
            true,
            true,
            TurnstileTest.PATIENCE),
        gate.seams());
  }

  private void assertRejected(String token, String reason) {
    assertThat(verdict(hcaptcha.verify(token, join())))
        .isEqualTo(new ChallengeResult.Rejected(reason));
  }

  @Test
  void aGoodTokenPassesOnce() {
    String token = service.issue();
    assertThat(verdict(hcaptcha.verify(token, join()))).isEqualTo(ACCEPTED);
    assertRejected(token, "already-seen-response");
  }

  @Test
  void theRequestIsAForm() {
    String token = service.issue();
    assertThat(verdict(hcaptcha.verify(token, join()))).isEqualTo(ACCEPTED);
    assertThat(service.calls().getFirst())
        .containsOnlyKeys("secret", "response", "remoteip", "sitekey")
        .containsEntry("secret", FakeHcaptcha.SECRET)
        .containsEntry("response", token)
        .containsEntry("remoteip", "203.0.113.9")
        .containsEntry("sitekey", FakeHcaptcha.SITE_KEY);
  }

  @Test
  void forgedExpiredAndForeignTokensAreRejected() {
    assertRejected("P1_forged & secret=x", "invalid-input-response");
    var now = gate.clock.instant();
    assertRejected(service.issue("shop.example", now.minusSeconds(121)), "expired-input-response");
    assertRejected(service.issue("evil.example", now), "hostname");
    assertRejected(service.issue("shop.example", now.plusSeconds(61)), "age");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "missing-input-response",
        "invalid-input-response",
        "expired-input-response",
        "already-seen-response",
        "invalid-or-already-seen-response"
      })
  void callerErrorsAreRejected(String code) {
    service.nextErrors(code);
    assertRejected(service.issue(), code);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "missing-input-secret",
        "invalid-input-secret",
        "sitekey-secret-mismatch",
        "not-using-dummy-passcode",
        "not-using-dummy-secret"
      })
  void errorsAboutOurKeysAreNotTheCallersFault(String code) {
    service.nextErrors("invalid-input-response", code);
    assertThat(verdict(hcaptcha.verify(service.issue(), join()))).isEqualTo(UNAVAILABLE);
    assertThat(hcaptcha.isMisconfigured()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bad-request", "missing-remoteip", "invalid-remoteip", "a-new-code"})
  void otherErrorsAreUnavailable(String code) {
    service.nextErrors(code);
    assertThat(verdict(hcaptcha.verify(service.issue(), join()))).isEqualTo(UNAVAILABLE);
    assertThat(hcaptcha.isMisconfigured()).isFalse();
  }

  @Test
  void aMismatchOfKeysIsDetected() {
    try (WidgetChallenge other = hcaptcha("another-site-key", FakeHcaptcha.SECRET)) {
      assertThat(verdict(other.verify(service.issue(), join()))).isEqualTo(UNAVAILABLE);
      assertThat(other.isMisconfigured()).isTrue();
    }
  }

  @Test
  void aCallWithoutAResponseIsNotRetried() {
    service.breakDown(true);
    String token = service.issue();
    assertThat(verdict(hcaptcha.verify(token, join()))).isEqualTo(UNAVAILABLE);
    assertThat(service.calls()).hasSize(1);
  }

  @Test
  void proofOfWorkReplacesTheWidgetDuringAnOutage() {
    try (FallbackChallenge challenge =
        new FallbackChallenge(hcaptcha, gate.altcha(GateFixture.EASY))) {
      assertThat(challenge.settings())
          .isEqualTo("{\"provider\":\"hcaptcha\",\"site_key\":\"" + FakeHcaptcha.SITE_KEY + "\"}");
      assertThat(challenge.offer(join())).isEqualTo(challenge.settings());
      service.breakDown(true);
      for (int i = 0; i < 5; i++) {
        assertThat(verdict(challenge.verify(service.issue(), join()))).isEqualTo(UNAVAILABLE);
      }
      assertThat(challenge.settings()).isEqualTo("{\"provider\":\"altcha\"}");
      String token = Solver.solve(challenge.offer(join()));
      assertThat(verdict(challenge.verify(token, join())))
          .isInstanceOf(ChallengeResult.Accepted.class);
    }
  }

  @Test
  void theTestKeysBehaveAsDocumented() {
    WidgetConfig lenient =
        new WidgetConfig(
            service.url(),
            FakeHcaptcha.TEST_SITE_KEY,
            FakeHcaptcha.TEST_SECRET,
            List.of(),
            false,
            false,
            TurnstileTest.PATIENCE);
    try (WidgetChallenge test = WidgetChallenge.hcaptcha(lenient, gate.seams())) {
      assertThat(verdict(test.verify(FakeHcaptcha.TEST_TOKEN, join()))).isEqualTo(ACCEPTED);
      assertThat(verdict(test.verify(service.issue(), join()))).isEqualTo(UNAVAILABLE);
    }
    assertThat(lenient.problemsInProduction()).hasSize(2);
  }
}
