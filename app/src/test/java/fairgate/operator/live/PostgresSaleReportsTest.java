package fairgate.operator.live;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.operator.live.PostgresSaleReports.Totals;
import fairgate.operator.live.SaleReport.Incident;
import fairgate.operator.live.SaleReport.Minute;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Waiting times and gaps from the totals of each minute.
class PostgresSaleReportsTest {
  private static final Instant START = Instant.parse("2026-11-25T12:00:00Z");

  private static Totals at(int minute, long joined, long waiting) {
    return new Totals(START.plusSeconds(60L * minute), joined, joined - waiting, waiting);
  }

  @Test
  void theLastOneOfAMinuteWaitsUntilAsManyHaveLeftAsHadJoined() {
    List<Minute> minutes =
        PostgresSaleReports.minutes(
            List.of(at(0, 100, 100), at(1, 150, 60), at(2, 150, 30), at(3, 150, 0)));
    assertThat(minutes).extracting(Minute::joined).containsExactly(100L, 50L, 0L, 0L);
    // 100 had left by minute 2, all 150 by minute 3. Nobody joined afterwards.
    assertThat(minutes).extracting(Minute::waitSeconds).containsExactly(120L, 120L, null, null);
  }

  @Test
  void whoeverWasServedAtOnceWaitedLessThanAMinute() {
    assertThat(PostgresSaleReports.minutes(List.of(at(0, 5, 0), at(1, 9, 0))))
        .extracting(Minute::waitSeconds)
        .containsExactly(0L, 0L);
  }

  @Test
  void aWaitThatDidNotEndHasNoTime() {
    assertThat(PostgresSaleReports.minutes(List.of(at(0, 5, 5), at(1, 5, 2))))
        .extracting(Minute::waitSeconds)
        .containsExactly(null, null);
  }

  @Test
  void missingMinutesAreAnIncident() {
    assertThat(PostgresSaleReports.gaps(List.of(at(0, 1, 1), at(1, 1, 1), at(4, 1, 1))))
        .containsExactly(
            new Incident(START.plusSeconds(120), START.plusSeconds(240), "unmeasured", ""));
  }
}
