package fairgate.account;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class BulkheadTest {
  private final Bulkhead bulkhead = new Bulkhead("test", 2, Duration.ofSeconds(7));
  private final CountDownLatch gate = new CountDownLatch(1);

  private Future<String> hold() {
    return bulkhead.run(
        () -> {
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return "done";
        });
  }

  @Test
  void whoFindsItFullIsToldToComeBackAtOnce() {
    Future<String> first = hold();
    Future<String> second = hold();
    Future<String> third = bulkhead.run(() -> "never");
    assertThat(third.failed()).isTrue();
    assertThat(third.cause())
        .isInstanceOfSatisfying(
            ServiceUnavailable.class,
            away -> assertThat(away.retryAfter()).isEqualTo(Duration.ofSeconds(7)));
    assertThat(bulkhead.used()).isEqualTo(2);
    gate.countDown();
    assertThat(first.await()).isEqualTo("done");
    assertThat(second.await()).isEqualTo("done");
  }

  @Test
  void placesAreGivenBackAlsoWhenTheWorkFails() {
    for (int i = 0; i < 10; i++) {
      Future<String> failing =
          bulkhead.run(
              () -> {
                throw new IllegalStateException("on purpose");
              });
      assertThat(failing.otherwise("failed").await()).isEqualTo("failed");
      assertThat(bulkhead.used()).isZero();
    }
    assertThat(bulkhead.run(() -> "done").await()).isEqualTo("done");
  }

  @Test
  void aPlaceIsFreeBeforeItsCallerHearsOfTheEnd() {
    Future<Integer> used = hold().map(_ -> bulkhead.used());
    gate.countDown();
    assertThat(used.await()).isZero();
  }
}
