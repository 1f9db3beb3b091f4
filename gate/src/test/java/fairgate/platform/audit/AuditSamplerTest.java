package fairgate.platform.audit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditSamplerTest {
  private final GateFixture.SteppedClock clock = new GateFixture.SteppedClock();
  private final AuditSampler sampler = new AuditSampler(clock);

  @Test
  void aFewRefusalsAreAllRecorded() {
    for (int i = 0; i < AuditSampler.RECORDED_PER_SECOND; i++) {
      assertThat(sampler.count("RATE_LIMIT_EXCEEDED")).isEqualTo(1);
    }
    assertThat(sampler.count("RATE_LIMIT_EXCEEDED")).isZero();
    assertThat(sampler.count("CLIENT_BANNED")).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    assertThat(sampler.count("RATE_LIMIT_EXCEEDED")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"SERVICE_UNAVAILABLE", "PAYMENT_PROVIDER_UNAVAILABLE"})
  void ofAnOutageOneRefusalAMinuteIsRecorded(String code) {
    assertThat(sampler.count(code)).isEqualTo(1);
    for (int second = 0; second < 30; second++) {
      assertThat(sampler.count(code)).isZero();
      assertThat(sampler.countUnlimited(code)).isZero();
      clock.advance(Duration.ofSeconds(1));
    }
    clock.advance(Duration.ofMinutes(1));
    assertThat(sampler.countUnlimited(code)).isEqualTo(61);
  }

  @Test
  void whatNoLimitCountsIsBoundedOverAllKindsTogether() {
    int kinds = 8;
    int each = 1_000;
    int seconds = 3;
    long kept = 0;
    long stoodFor = 0;
    for (int second = 0; second < seconds; second++) {
      clock.advance(Duration.ofSeconds(1));
      for (int kind = 0; kind < kinds; kind++) {
        for (int i = 0; i < each; i++) {
          int weight = sampler.countUnlimited("CODE_" + kind);
          kept += weight > 0 ? 1 : 0;
          stoodFor += weight;
        }
      }
    }
    // The first kind has 10, and each of the others its first.
    assertThat(kept).isEqualTo((long) seconds * (AuditSampler.UNLIMITED_PER_SECOND + kinds - 1));
    clock.advance(Duration.ofSeconds(1));
    for (int kind = 0; kind < kinds; kind++) {
      stoodFor += sampler.countUnlimited("CODE_" + kind);
    }
    assertThat(stoodFor).isEqualTo((long) seconds * kinds * each + kinds);
  }

  @Test
  void aFloodThatNoLimitCountsHidesNoRefusalOfTheSameKindBehindALimit() {
    for (int i = 0; i < 1_000; i++) {
      int _ = sampler.countUnlimited("INVALID_REQUEST");
    }
    assertThat(sampler.count("INVALID_REQUEST")).isEqualTo(1 + 1_000 - 10);
    assertThat(sampler.count("INVALID_REQUEST")).isEqualTo(1);
  }

  @Test
  void theWeightsInAFloodAddUpToAllRefusals() {
    long kept = 0;
    long stoodFor = 0;
    int all = 100_000;
    for (int i = 0; i < all; i++) {
      int weight = sampler.count("RATE_LIMIT_EXCEEDED");
      kept += weight > 0 ? 1 : 0;
      stoodFor += weight;
    }
    assertThat(kept).isEqualTo(50 + all / 100);
    assertThat(stoodFor).isEqualTo(all);
  }

  @Test
  void concurrentRefusalsAreCountedExactlyOnce() throws Exception {
    int threads = 8;
    int each = 20_000;
    LongAdder stoodFor = new LongAdder();
    CyclicBarrier start = new CyclicBarrier(threads);
    Callable<Void> flood =
        () -> {
          start.await();
          for (int i = 0; i < each; i++) {
            stoodFor.add(sampler.count("SALE_CLOSED"));
          }
          return null;
        };
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (Future<Void> done : pool.invokeAll(Collections.nCopies(threads, flood))) {
        var _ = done.get();
      }
    }
    clock.advance(Duration.ofSeconds(1));
    assertThat(stoodFor.sum() + sampler.count("SALE_CLOSED")).isEqualTo(threads * each + 1);
  }
}
