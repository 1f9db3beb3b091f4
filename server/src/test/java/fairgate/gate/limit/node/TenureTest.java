package fairgate.gate.limit.node;

import static fairgate.gate.limit.node.Company.Counts.BOTH;
import static fairgate.gate.limit.node.Company.Counts.NODE;
import static fairgate.gate.limit.node.Company.Counts.REDIS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// When a node may count by itself; times in milliseconds, from any beginning.
final class TenureTest {
  private static final Duration LENT = Duration.ofSeconds(2);

  private final Tenure tenure = new Tenure();
  private long start;

  private long at(long millis) {
    return start + millis * 1_000_000;
  }

  private void lent(long asked, long told) {
    tenure.lent(at(asked), LENT, at(told));
  }

  private void is(Company.Counts counts, long... millis) {
    for (long time : millis) {
      assertThat(tenure.at(at(time))).as("%d ms", time).isEqualTo(counts);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -500_000_000, Long.MAX_VALUE - 3_000_000_000L, Long.MIN_VALUE})
  void forASecondBothCountAtTheBeginningAndAtTheEnd(long from) {
    start = from;
    is(REDIS, 0, 10);
    lent(10, 20);
    is(BOTH, 20, 500, 1_009);
    lent(600, 610);
    is(BOTH, 1_019);
    is(NODE, 1_020, 1_599);
    // Not prolonged: until the last second.
    is(BOTH, 1_600, 2_599);
    is(REDIS, 2_600, 9_999);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - 3_000_000_000L})
  void whatIsProlongedTooLateBeginsAnew(long from) {
    start = from;
    lent(0, 0);
    lent(1_500, 1_500);
    is(NODE, 1_500, 2_499);
    is(BOTH, 2_500);
    // Still in time: everything was counted here all the while.
    lent(3_400, 3_400);
    is(NODE, 3_400);
    is(REDIS, 5_400);
    lent(5_400, 5_400);
    is(BOTH, 5_400, 6_399);
    lent(6_000, 6_000);
    is(NODE, 6_400);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -4_050_000_000L})
  void whoYieldsCountsForASecondMore(long from) {
    start = from;
    assertThat(tenure.yieldsIn(at(0))).isNegative();
    for (int i = 0; i <= 6; i++) {
      lent(i * 500L, i * 500L);
    }
    is(NODE, 3_000);
    tenure.letGo(at(3_000));
    is(BOTH, 3_000, 4_049);
    is(REDIS, 4_050);
    assertThat(tenure.yieldsIn(at(3_000))).isEqualTo(1_050);
    tenure.letGo(at(3_500));
    assertThat(tenure.yieldsIn(at(3_500))).isEqualTo(550);
    assertThat(tenure.yieldsIn(at(4_050))).isZero();
    tenure.ended();
    assertThat(tenure.yieldsIn(at(4_050))).isNegative();
    is(REDIS, 4_050);
    lent(4_100, 4_100);
    is(BOTH, 4_100);
  }
}
