package fairgate.prove.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SilenceTest {
  private static final long PRESENCE = 4_000;
  private static final int NO_ANSWER = 0;

  /// A look that was sent at a time and came back 100 ms later, ms.
  private static RecordedCall look(long at, int status) {
    return look(at, at + 100, status);
  }

  private static RecordedCall look(long sent, long got, int status) {
    Answer answer = new Answer(status, MissingNode.getInstance());
    return new RecordedCall(
        CallType.STATUS, "ann", "1", "s", "", "", 0, sent * 1_000_000, got * 1_000_000, answer);
  }

  private static List<RecordedCall> answeredAt(long... times) {
    return Arrays.stream(times).mapToObj(at -> look(at, 200)).toList();
  }

  private static long longest(List<RecordedCall> own, List<RecordedCall> others) {
    List<RecordedCall> all = new ArrayList<>(own);
    all.addAll(others);
    return Silence.longestMillis(own, own.getLast(), Silence.reachableSince(all, PRESENCE));
  }

  @Test
  void timeBetweenAnsweredLooksIsSilence() {
    assertThat(longest(answeredAt(0, 1_000, 2_500, 3_000), answeredAt(0, 1_000, 2_000)))
        .isEqualTo(1_600);
  }

  @Test
  void questionsToAFrozenNodeAreSilenceWhileOthersAreAnswered() {
    List<RecordedCall> own =
        List.of(
            look(0, 200),
            look(300, 1_300, NO_ANSWER),
            look(1_600, 2_600, NO_ANSWER),
            look(2_900, 3_900, NO_ANSWER),
            look(4_200, 200));
    assertThat(longest(own, answeredAt(0, 1_000, 2_000, 3_000, 4_000))).isEqualTo(4_300);
  }

  @Test
  void anOutageForAllIsNobodysSilence() {
    assertThat(longest(answeredAt(0, 500, 28_500), answeredAt(0, 600, 28_400))).isEqualTo(600);
  }

  @Test
  void silenceCountsAnewFromTheEndOfAGap() {
    List<RecordedCall> own =
        List.of(look(0, 200), look(5_000, 5_900, NO_ANSWER), look(11_000, 200));
    assertThat(longest(own, answeredAt(0, 6_000, 7_500, 9_000, 10_500))).isEqualTo(5_000);
  }

  @Test
  void theFirstLookCountsAsHeardAlthoughNobodyAnswered() {
    List<RecordedCall> own =
        List.of(look(0, 1_000, NO_ANSWER), look(1_300, 2_300, NO_ANSWER), look(4_500, 200));
    assertThat(longest(own, answeredAt(0, 1_000, 2_000, 3_000, 4_000))).isEqualTo(4_600);
  }
}
