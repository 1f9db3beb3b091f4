package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.WidgetChallenge.FallbackChallenge;
import fairgate.kernel.ChallengeResult;
import fairgate.testkit.FakeTurnstile;
import fairgate.testkit.FakeTurnstile.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FallbackChallengeTest {
  private final GateFixture gate = new GateFixture();
  private final FakeTurnstile cloudflare = FakeTurnstile.start(gate.clock);
  private final FallbackChallenge challenge =
      new FallbackChallenge(
          WidgetChallenge.turnstile(
              TurnstileTest.config(cloudflare.url(), FakeTurnstile.SECRET, TurnstileTest.PATIENCE),
              gate.seams()),
          gate.altcha(GateFixture.EASY));

  @AfterEach
  void close() {
    challenge.close();
    cloudflare.close();
    gate.close();
  }

  @Test
  void noProofOfWorkIsIssuedWhileTurnstileWorks() {
    assertThat(challenge.settings())
        .isEqualTo(
            "{\"provider\":\"turnstile\",\"site_key\":\"0x4AAAAAAAsite\",\"action\":\"join\"}");
    assertThat(challenge.offer(join())).contains("\"cdata\":\"k1-");
    String cdata = Solver.parse(challenge.offer(join())).get("cdata").asText();
    String token = cloudflare.issue("shop.example", "join", cdata, gate.clock.instant());
    assertThat(verdict(challenge.verify(token, join())))
        .isEqualTo(new ChallengeResult.Accepted(null));
  }

  @Test
  void proofOfWorkReplacesTheWidgetDuringAnOutage() {
    cloudflare.always(Fault.STATUS_500);
    for (int i = 0; i < 5; i++) {
      assertThat(verdict(challenge.verify(cloudflare.issue(), join())))
          .isEqualTo(new ChallengeResult.Unavailable());
    }

    assertThat(challenge.settings()).isEqualTo("{\"provider\":\"altcha\"}");
    String token = Solver.solve(challenge.offer(join()));
    assertThat(verdict(challenge.verify(token, join())))
        .isInstanceOf(ChallengeResult.Accepted.class);
  }
}
