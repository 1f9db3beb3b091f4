package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.UsedOnce;
import fairgate.kernel.ChallengeResult;
import fairgate.testkit.SliderReader;
import io.vertx.core.Future;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SliderChallengeTest {
  private static final ChallengeResult RIGHT = new ChallengeResult.Accepted(null);

  private final GateFixture fixture = new GateFixture();
  private final SliderChallenge slider = new SliderChallenge(fixture.seams(), new UsedOnce());
  private final SliderPicture picture = SliderPicture.draw(new Random(7));

  @AfterEach
  void close() {
    slider.close();
    fixture.close();
  }

  private String offer() {
    return slider.offer(join(), picture);
  }

  private ChallengeResult verify(String offer, int x) {
    return verdict(slider.verify(SliderReader.token(offer, x), join()));
  }

  private static ChallengeResult rejected(String reason) {
    return new ChallengeResult.Rejected(reason);
  }

  @Test
  void thePieceAtTheGapPassesAndFartherAwayDoesNot() {
    int x = picture.x();
    for (int off : new int[] {0, SliderChallenge.TOLERANCE, -SliderChallenge.TOLERANCE}) {
      assertThat(verify(offer(), x + off)).isEqualTo(RIGHT);
    }
    for (int off : new int[] {SliderChallenge.TOLERANCE + 1, -SliderChallenge.TOLERANCE - 1}) {
      assertThat(verify(offer(), x + off)).isEqualTo(rejected("position"));
    }
  }

  @Test
  void aChallengeMayBeTriedOnceRightOrWrong() {
    String wrong = offer();
    assertThat(verify(wrong, 0)).isEqualTo(rejected("position"));
    assertThat(verify(wrong, picture.x())).isEqualTo(rejected("used"));
    String right = offer();
    assertThat(verify(right, picture.x())).isEqualTo(RIGHT);
    assertThat(verify(right, picture.x())).isEqualTo(rejected("used"));
  }

  @Test
  void aChallengeIsForOneBrowserNetworkAndSaleAndExpires() {
    String offer = offer();
    String token = SliderReader.token(offer, picture.x());
    for (ChallengeProvider.Context other :
        new ChallengeProvider.Context[] {
          ChallengeProvider.Context.join(GateFixture.SEVEN, "203.0.113.9", GateFixture.DEVICE),
          ChallengeProvider.Context.join(GateFixture.SEVEN, "198.51.100.9", GateFixture.FRESH),
          ChallengeProvider.Context.of(
              ChallengeProvider.Context.LINK, "203.0.113.9", GateFixture.FRESH)
        }) {
      assertThat(verdict(slider.verify(token, other)))
          .isEqualTo(rejected("made for something else"));
    }
    fixture.clock.advance(SliderChallenge.LIFE);
    assertThat(verify(offer, picture.x())).isEqualTo(rejected("expired"));
  }

  @Test
  void garbageIsRejected() {
    String token = SliderReader.token(offer(), picture.x());
    for (String bad :
        new String[] {
          "",
          ".",
          "...",
          "a.b.c.d",
          token + "9999",
          token.substring(1),
          "x" + token.substring(1),
          token.replace(".k1.", ".k9."),
          token.substring(0, token.length() - 3) + "-1",
          "9".repeat(5000)
        }) {
      assertThat(verdict(slider.verify(bad, join()))).as(bad).isEqualTo(rejected("malformed"));
    }
  }

  @Test
  void withoutRedisNothingIsDecided() {
    try (SliderChallenge alone =
        new SliderChallenge(fixture.seams(), (_, _) -> Future.failedFuture("away"))) {
      String token = SliderReader.token(alone.offer(join(), picture), picture.x());
      assertThat(verdict(alone.verify(token, join()))).isEqualTo(new ChallengeResult.Unavailable());
    }
  }

  @Test
  void everyPictureHasAGapThatCanBeSeenAndIsSmall() {
    for (int seed = 0; seed < 20; seed++) {
      SliderPicture drawn = SliderPicture.draw(new Random(seed));
      String offer = slider.offer(join(), drawn);
      assertThat(offer.length()).isLessThan(60_000);
      assertThat(SliderReader.read(offer))
          .as("seed " + seed)
          .isBetween(drawn.x() - 2, drawn.x() + 2);
    }
  }
}
