package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class CircuitBreakerTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 50);
  private final CircuitBreaker breaker =
      new CircuitBreaker(3, Duration.ofMillis(100), Duration.ofMillis(500), nanos::get);

  private void pass(long millis) {
    nanos.addAndGet(millis * 1_000_000);
  }

  private void open() {
    assertThat(breaker.failed()).isFalse();
    pass(100);
    assertThat(breaker.failed()).isFalse();
    assertThat(breaker.failed()).isTrue();
    assertThat(breaker.isOpen()).isTrue();
  }

  @Test
  void opensAtTheLimitOnce() {
    open();
    assertThat(breaker.failed()).isFalse();
  }

  @Test
  void failuresAtOneMomentDoNotOpenIt() {
    for (int i = 0; i < 100; i++) {
      assertThat(breaker.failed()).isFalse();
    }
    pass(99);
    assertThat(breaker.failed()).isFalse();
    pass(1);
    assertThat(breaker.failed()).isTrue();
  }

  @Test
  void aSuccessInBetweenStartsTheCountAnew() {
    assertThat(breaker.failed()).isFalse();
    pass(100);
    assertThat(breaker.failed()).isFalse();
    assertThat(breaker.succeeded()).isFalse();
    open();
  }

  @Test
  void letsOneProbePassPerPause() {
    assertThat(breaker.allows()).isTrue();
    open();
    assertThat(breaker.allows()).isFalse();
    pass(499);
    assertThat(breaker.allows()).isFalse();
    pass(1);
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.allows()).isFalse();
    pass(500);
    assertThat(breaker.allows()).isTrue();
  }

  @Test
  void aSuccessClosesIt() {
    open();
    assertThat(breaker.succeeded()).isTrue();
    assertThat(breaker.isOpen()).isFalse();
    assertThat(breaker.allows()).isTrue();
    assertThat(breaker.succeeded()).isFalse();
  }
}
