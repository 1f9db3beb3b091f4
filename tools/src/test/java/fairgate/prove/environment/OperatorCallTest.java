package fairgate.prove.environment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.MissingNode;
import fairgate.crowd.Answer;
import java.time.Duration;
import java.util.Iterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OperatorCallTest {
  private static final Duration PAUSE = Duration.ofMillis(1);

  private static boolean succeeds(Duration max, int... statuses) {
    Iterator<Integer> replies = IntStream.of(statuses).iterator();
    return OperatorCall.succeeds(
        () -> new Answer(replies.next(), MissingNode.getInstance()), PAUSE, max);
  }

  @Test
  void aCallIsRepeatedUntilItSucceedsOrAnEarlierAttemptHas() {
    assertThat(succeeds(Duration.ofMinutes(2), 0, 503, 429, 200)).isTrue();
    assertThat(succeeds(Duration.ofMinutes(2), 504, 409)).isTrue();
    assertThat(succeeds(Duration.ZERO, 503)).isFalse();
  }

  @Test
  void aRefusalEndsTheProof() {
    assertThatThrownBy(() -> succeeds(Duration.ofMinutes(2), 503, 400))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("refused");
  }
}
