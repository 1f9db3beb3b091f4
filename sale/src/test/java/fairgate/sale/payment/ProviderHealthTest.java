package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProviderHealthTest {
  private final AtomicLong nanos = new AtomicLong();
  private final ProviderHealth health = new ProviderHealth(nanos::get);

  private void pass(long seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void aSingleFailureIsNoOutage() {
    health.failed("status 500");
    health.failed("status 500");
    assertThat(health.isFailing()).as("at the same moment").isFalse();
    health.succeeded();
    pass(2);
    health.failed("status 500");
    assertThat(health.isFailing()).as("after a success").isFalse();
  }

  @Test
  void anOutageEndsWhenCallsSucceedAndNoneHasFailedForSomeTime() {
    health.failed("status 500");
    pass(1);
    health.failed("status 500");
    assertThat(health.isFailing()).isTrue();
    health.succeeded();
    assertThat(health.isFailing()).as("one success").isTrue();
    pass(9);
    health.failed("status 500");
    health.succeeded();
    pass(9);
    assertThat(health.isFailing()).as("a failure since").isTrue();
    pass(1);
    assertThat(health.isFailing()).isFalse();
  }

  @Test
  void anOutageLastsUntilACallSucceeds() {
    health.failed("status 500");
    pass(1);
    health.failed("status 500");
    pass(3_600);
    assertThat(health.isFailing()).isTrue();
  }

  @Test
  void theProviderIsAskedWhenNothingWasHeardOfIt() {
    assertThat(health.needsProbe()).isFalse();
    pass(10);
    assertThat(health.needsProbe()).isTrue();
    assertThat(health.needsProbe()).as("under way").isFalse();
    pass(2);
    assertThat(health.needsProbe()).isTrue();
    health.succeeded();
    pass(2);
    assertThat(health.needsProbe()).isFalse();
  }
}
