package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.platform.redis.RedisReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The rate of `admit.lua`: never more than it, and no less either.
final class AdmissionRateTest {
  private record Step(long atMs, long admitted) {}

  private static SaleWorld sale(int rate, int waiting) {
    SaleWorld sale = SaleWorld.open(5, "rate " + rate, "capacity 100000", "slots 1");
    for (int left = waiting; left > 0; left -= 128) {
      assertThat(sale.join(sale.buyers(Math.min(128, left)))).isNotEmpty();
    }
    return sale;
  }

  private static List<Step> run(SaleWorld sale, int ms) {
    List<Step> steps = new ArrayList<>();
    long end = sale.now() + ms;
    SaleWorld.await(
        () -> {
          RedisReply reply = sale.scripts().admit(250).await();
          steps.add(new Step(reply.at(4).number(), reply.at(1).number()));
          return reply.at(4).number() >= end;
        });
    return steps;
  }

  private static void assertWithin(List<Step> steps, int rate, double burst) {
    for (int from = 0; from < steps.size(); from++) {
      long admitted = 0;
      for (int to = from; to < steps.size(); to++) {
        admitted += steps.get(to).admitted();
        // Both ends are cut to whole milliseconds.
        double seconds = (steps.get(to).atMs() - steps.get(from).atMs() + 1) / 1000.0;
        assertThat((double) admitted).isLessThanOrEqualTo(rate * seconds + burst);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {50, 1_200})
  void noWindowSeesMoreThanItsRateAndABurst(int rate) {
    SaleWorld sale = sale(rate, 1_500);
    List<Step> steps = run(sale, 600);
    assertWithin(steps, rate, Math.max(1, rate * 0.1));
    // What a pass comes too late for is lost; all else is used.
    long total = steps.stream().mapToLong(Step::admitted).sum();
    double usable = 0;
    for (int i = 1; i < steps.size(); i++) {
      usable += Math.min(100, steps.get(i).atMs() - steps.get(i - 1).atMs());
    }
    assertThat((double) total)
        .isGreaterThanOrEqualTo(Math.min(1_500, rate * usable / 1_000 * 0.9 - 2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6, 7, 9, 10, 11, 13, 30, 999})
  void anIdleSaleAdmitsItsBurstAtOnceWhateverTheRate(int rate) {
    for (int attempt = 0; attempt < 5; attempt++) {
      SaleWorld sale = sale(rate, 120);
      assertThat(sale.admit().at(1).number()).isEqualTo(Math.max(1, rate / 10));
    }
  }

  @Test
  void aClockThatSteppedBackDoesNotStopAdmission() {
    SaleWorld sale = sale(100, 20);
    assertThat(sale.admit().at(1).number()).isEqualTo(10);
    String anHourOn = Long.toString((sale.now() + 3_600_000) * 1_000);
    sale.sent("HSET", sale.keys().sale(), "tat", anHourOn);
    assertThat(sale.admit().at(1).number()).isPositive();
  }
}
