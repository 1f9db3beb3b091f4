package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.DEVICE;
import static fairgate.gate.challenge.GateFixture.FRESH;
import static fairgate.gate.challenge.GateFixture.SEVEN;
import static fairgate.gate.challenge.GateFixture.device;
import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;
import fairgate.testkit.FakeTurnstile;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The binding of Turnstile's tokens.
class TurnstileBindingTest {
  private static final ChallengeResult ACCEPTED = new ChallengeResult.Accepted(null);

  private final GateFixture gate = new GateFixture();
  private final FakeTurnstile cloudflare = FakeTurnstile.start(gate.clock);
  private final WidgetConfig strict =
      TurnstileTest.config(cloudflare.url(), FakeTurnstile.SECRET, TurnstileTest.PATIENCE);
  private final WidgetChallenge turnstile = WidgetChallenge.turnstile(strict, gate.seams());

  @AfterEach
  void close() {
    turnstile.close();
    cloudflare.close();
    gate.close();
  }

  private String cdata(ChallengeProvider.Context context) {
    return Solver.parse(turnstile.offer(context)).get("cdata").asText();
  }

  private static void assertRejected(WidgetChallenge turnstile, String token, String reason) {
    assertThat(verdict(turnstile.verify(token, join())))
        .isEqualTo(new ChallengeResult.Rejected(reason));
  }

  @Test
  void missingBindingsAreRefusedOnlyWhenStrict() {
    WidgetConfig config =
        new WidgetConfig(
            strict.url(),
            "key",
            strict.secret(),
            strict.hostnames(),
            false,
            true,
            strict.timeout());
    WidgetChallenge lenient = WidgetChallenge.turnstile(config, gate.seams());
    var now = gate.clock.instant();
    String bare = cloudflare.issue("shop.example", "", "", now);
    assertThat(verdict(lenient.verify(bare, join()))).isEqualTo(ACCEPTED);
    assertRejected(lenient, cloudflare.issue("shop.example", "claim", "", now), "action");
    assertRejected(lenient, cloudflare.issue("shop.example", "", "k1-x", now), "cdata");
    assertRejected(turnstile, cloudflare.issue("shop.example", "", cdata(join()), now), "action");
    assertRejected(turnstile, cloudflare.issue("shop.example", "join", "", now), "cdata");
    lenient.close();
  }

  @Test
  void aTokenIsValidForTheProductAndBrowserOfItsWidget() {
    var now = gate.clock.instant();
    ChallengeProvider.Context own = ChallengeProvider.Context.join(SEVEN, "::1", DEVICE);
    ChallengeProvider.Context stranger =
        ChallengeProvider.Context.join(SEVEN, "::1", device("BBBBBBBBBBBBBBBBBBBBBB", false));
    ChallengeProvider.Context elsewhere =
        ChallengeProvider.Context.join(new ProductId("8"), "::1", DEVICE);
    for (ChallengeProvider.Context other : List.of(stranger, elsewhere, join())) {
      String token = cloudflare.issue("shop.example", "join", cdata(own), now);
      assertThat(verdict(turnstile.verify(token, other)))
          .isEqualTo(new ChallengeResult.Rejected("cdata"));
    }
    String token = cloudflare.issue("shop.example", "join", cdata(own), now);
    assertThat(verdict(turnstile.verify(token, own))).isEqualTo(ACCEPTED);
  }

  @Test
  void aFirstVisitorsTokenIsValidWithItsNewCookieOrWithoutAnyButNotWithAnother() {
    String cdata = cdata(join());
    assertThat(verdictOf(cdata, new Device(FRESH.id(), false))).isEqualTo(ACCEPTED);
    assertThat(verdictOf(cdata, device("BBBBBBBBBBBBBBBBBBBBBB", true))).isEqualTo(ACCEPTED);
    assertThat(verdictOf(cdata, DEVICE)).isEqualTo(new ChallengeResult.Rejected("cdata"));
  }

  private ChallengeResult verdictOf(String cdata, Device device) {
    String token = cloudflare.issue("shop.example", "join", cdata, gate.clock.instant());
    return verdict(turnstile.verify(token, ChallengeProvider.Context.join(SEVEN, "::1", device)));
  }

  @Test
  void sessionDataStayValidAfterKeyRotationAndFitTheWidget() {
    String cdata = cdata(join());
    assertThat(cdata).matches("[A-Za-z0-9_-]{1,255}").doesNotContain(DEVICE.id().value());
    try (WidgetChallenge rotated =
            WidgetChallenge.turnstile(strict, gate.seams(GateFixture.keys("k2", "k1", "k2")));
        WidgetChallenge later =
            WidgetChallenge.turnstile(strict, gate.seams(GateFixture.keys("k2", "k2")))) {
      var now = gate.clock.instant();
      String one = cloudflare.issue("shop.example", "join", cdata, now);
      assertThat(verdict(rotated.verify(one, join()))).isEqualTo(ACCEPTED);
      String two = cloudflare.issue("shop.example", "join", cdata, now);
      assertThat(verdict(later.verify(two, join())))
          .isEqualTo(new ChallengeResult.Rejected("cdata"));
    }
  }
}
