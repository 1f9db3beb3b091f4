package fairgate.gate.challenge;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ChallengeResult;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;

class AltchaGarbageTest {
  private static final GateFixture GATE = new GateFixture();
  private static final Altcha ALTCHA = GATE.altcha(GateFixture.EASY);
  private static final String TOKEN = Solver.solve(ALTCHA.offer(GateFixture.join()));
  private static final byte[] PAYLOAD = Base64.getDecoder().decode(TOKEN);

  @AfterContainer
  static void close() {
    ALTCHA.close();
    GATE.close();
  }

  @Property(tries = 2000)
  void aPayloadWithAnyByteChangedNeverPasses(
      @ForAll @IntRange(max = 10_000) int at, @ForAll byte value) {
    byte[] payload = PAYLOAD.clone();
    int where = at % payload.length;
    byte before = payload[where];
    payload[where] = value;
    boolean same = value == before;

    assertThat(accepts(Base64.getEncoder().encodeToString(payload))).isEqualTo(same);
  }

  @Property(tries = 2000)
  void aTruncatedOrJoinedPayloadNeverPasses(
      @ForAll @IntRange(max = 10_000) int from, @ForAll @IntRange(max = 10_000) int to) {
    String payload = new String(PAYLOAD, StandardCharsets.UTF_8);
    int a = from % payload.length();
    int b = to % payload.length();
    String cut = payload.substring(0, Math.min(a, b)) + payload.substring(Math.max(a, b));

    assertThat(accepts(Solver.encode(cut))).isEqualTo(a == b);
  }

  @Property(tries = 2000)
  void textNeverPassesAndNeverThrows(@ForAll String text) {
    assertThat(accepts(text)).isFalse();
    assertThat(accepts(Solver.encode("{" + text))).isFalse();
  }

  private static boolean accepts(String token) {
    Future<ChallengeResult> verdict = ALTCHA.verify(token, GateFixture.join());
    assertThat(verdict.succeeded()).isTrue();
    return verdict.result() instanceof ChallengeResult.Accepted;
  }
}
