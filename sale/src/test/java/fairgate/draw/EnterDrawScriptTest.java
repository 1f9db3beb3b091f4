package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.catalog.SalePolicy.Fairness;
import fairgate.catalog.SalePolicy.Identity;
import fairgate.catalog.SalePolicy.PreQueue;
import fairgate.draw.EnterDrawScript.Word;
import fairgate.kernel.ChallengeResult.SingleUse;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EnterDrawScriptTest {
  private final SaleWorld world = SaleWorld.open(1);
  private final EnterDrawScript script = new EnterDrawScript(world.redis());

  private Word enter(String person, @Nullable String challenge, String... networks) {
    Fairness limits = new Fairness(Identity.DEVICE, null, null, 2, 3, null, PreQueue.DRAW, false);
    SingleUse once = challenge == null ? null : new SingleUse(challenge, Duration.ofMinutes(1));
    return script
        .run(world.keys(), "draw-1", limits, Duration.ofMinutes(5), person, once, List.of(networks))
        .await();
  }

  @Test
  void aChallengeEntersOnce() {
    assertThat(enter("ann", "c1")).isEqualTo(Word.OK);
    assertThat(enter("bob", "c1")).isEqualTo(Word.CHALLENGE_USED);
    assertThat(enter("bob", "c2")).isEqualTo(Word.OK);
  }

  /// The first attempt may have failed after this step.
  @Test
  void aPersonRepeatsWithTheSameChallenge() {
    assertThat(enter("ann", "c1")).isEqualTo(Word.OK);
    assertThat(enter("ann", "c1")).isEqualTo(Word.OK);
    assertThat(enter("bob", "c1")).isEqualTo(Word.CHALLENGE_USED);
  }

  @Test
  void aNetworkHasNoMorePeopleThanAllowedAndRepeatsCountOnce() {
    assertThat(enter("ann", null, "ip1", "net")).isEqualTo(Word.OK);
    assertThat(enter("ann", null, "ip1", "net")).isEqualTo(Word.OK);
    assertThat(enter("bob", null, "ip1", "net")).isEqualTo(Word.OK);
    assertThat(enter("cat", "c1", "ip1", "net")).isEqualTo(Word.NETWORK);
    assertThat(enter("cat", "c1", "ip2", "net")).isEqualTo(Word.OK);
    assertThat(enter("dan", null, "ip3", "net")).isEqualTo(Word.NETWORK);
    assertThat(enter("dan", null)).isEqualTo(Word.OK);
  }

  @Test
  void everyCounterEnds() {
    assertThat(enter("ann", "c1", "ip1", "net")).isEqualTo(Word.OK);
    for (String key : world.names()) {
      if (key.contains(":draw:") || key.contains(":challenge:")) {
        assertThat(world.send("PTTL", key).number()).as(key).isPositive();
      }
    }
  }
}
