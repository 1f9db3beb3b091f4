package fairgate.link.click;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class VisitsTest {
  @Test
  void visitorsWhoComeMeanwhileAreCountedTogether() {
    CountDownLatch first = new CountDownLatch(1);
    AtomicInteger counts = new AtomicInteger();
    AtomicInteger left = new AtomicInteger(30);
    Visits visits =
        new Visits(
            (_, wanted) -> {
              if (counts.getAndIncrement() == 0) {
                await(first);
              }
              int granted = Math.min(wanted, left.get());
              left.addAndGet(-granted);
              return granted;
            });
    List<Future<Boolean>> all = IntStream.range(0, 100).mapToObj(_ -> visits.take("a")).toList();
    first.countDown();
    assertThat(all.stream().filter(one -> one.await()).count()).isEqualTo(30);
    assertThat(counts.get()).isLessThanOrEqualTo(3);
    assertThat(visits.usedUp("a")).isTrue();
    int before = counts.get();
    assertThat(visits.take("a").await()).isFalse();
    assertThat(counts.get()).as("nobody is asked again").isEqualTo(before);
  }

  @Test
  void whoCannotBeCountedDoesNotPassAndTheNextIsAskedAgain() {
    AtomicInteger calls = new AtomicInteger();
    Visits visits =
        new Visits(
            (_, _) -> {
              if (calls.getAndIncrement() == 0) {
                throw new ServiceUnavailable("gone", Duration.ofSeconds(1));
              }
              return 1;
            });
    assertThatThrownBy(() -> visits.take("a").await()).isInstanceOf(ServiceUnavailable.class);
    assertThat(visits.take("a").await()).isTrue();
  }

  @Test
  void aLinkThatMayNotBeFollowedIsNotUsedUp() {
    Visits visits = new Visits((_, _) -> -1);
    assertThat(visits.take("a").await()).isFalse();
    assertThat(visits.usedUp("a")).isFalse();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
