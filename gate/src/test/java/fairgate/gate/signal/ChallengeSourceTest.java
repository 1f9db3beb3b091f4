package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.Altcha;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.challenge.Solver;
import fairgate.gate.risk.Features;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChallengeSourceTest {
  private final GateFixture gate = new GateFixture();
  private final ChallengeSource source = new ChallengeSource(gate.clock);
  private final SignalServer server = new SignalServer(source, true);
  private final Altcha altcha =
      gate.altcha(new AltchaConfig("SHA-256", 3, "00", Duration.ofMinutes(10)));

  @AfterEach
  void close() {
    server.close();
    gate.close();
  }

  /// The features of a join whose challenge took that long.
  private Features join(String address, Duration took) {
    String token =
        Solver.solve(
            altcha.offer(
                ChallengeProvider.Context.join(GateFixture.SEVEN, address, GateFixture.FRESH)));
    gate.clock.advance(took);
    return server.features(
        DeviceKeys.JOIN,
        "{\"product_id\": \"7\", \"turnstile_token\": \"" + token + "\"}",
        "X-Forwarded-For",
        address);
  }

  @Test
  void theTimeIsMeasuredFromTheIssueOfTheChallenge() {
    Features features = join("203.0.113.1", Duration.ofMillis(1_234));
    assertThat(SignalServer.set(features)).containsExactly("challenge_ms");
    assertThat(value(features, "challenge_ms")).isEqualTo(1_234L);
  }

  @Test
  void aSolutionFasterThanAnyBrowserIsTooFast() {
    assertThat(value(join("203.0.113.1", Duration.ofMillis(2)), "challenge_too_fast"))
        .isEqualTo(true);
    assertThat(value(join("203.0.113.1", Duration.ofMillis(40)), "challenge_too_fast"))
        .isEqualTo(false);
  }

  @Test
  void equalTimesWithinANetworkAreCounted() {
    for (long others = 0; others < 4; others++) {
      Features features = join("203.0.113." + others, Duration.ofMillis(777));
      assertThat(value(features, "challenge_same_ms")).isEqualTo(others);
    }
    assertThat(value(join("203.0.113.9", Duration.ofMillis(778)), "challenge_same_ms"))
        .isEqualTo(0L);
    assertThat(value(join("198.51.100.1", Duration.ofMillis(777)), "challenge_same_ms"))
        .isEqualTo(0L);
    gate.clock.advance(Duration.ofMinutes(3));
    assertThat(value(join("203.0.113.1", Duration.ofMillis(777)), "challenge_same_ms"))
        .isEqualTo(0L);
  }

  @Test
  void tokensOfOthersAndGarbageHaveNoTime() {
    for (String token : new String[] {"", "XXXX.DUMMY.TOKEN.XXXX", "eyJhIjoxfQ=="}) {
      assertThat(
              SignalServer.set(
                  server.features(DeviceKeys.JOIN, "{\"turnstile_token\": \"" + token + "\"}")))
          .isEmpty();
    }
    assertThat(SignalServer.set(server.features(DeviceKeys.JOIN, "{\"turnstile_token\": 7}")))
        .isEmpty();
  }
}
