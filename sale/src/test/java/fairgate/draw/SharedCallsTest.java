package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Parallel callers wait for one read together, not one after the other.
class SharedCallsTest {
  private static final int CALLERS = 4;

  private final SharedCalls<String> shared = new SharedCalls<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger asking = new AtomicInteger();
  private final CountDownLatch hanging = new CountDownLatch(1);

  private String hang() {
    reads.incrementAndGet();
    try {
      hanging.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    throw new ServiceUnavailable("on purpose", Duration.ofSeconds(1));
  }

  private String ask() {
    asking.incrementAndGet();
    return shared.get("log", this::hang);
  }

  @Test
  void callersOfAReadThatHangsFailTogether() {
    List<Future<String>> callers = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      callers.add(
          BlockingWork.call(
              "ask",
              () -> {
                synchronized (threads) {
                  threads.add(Thread.currentThread());
                }
                return ask();
              }));
    }
    Eventually.await(
        "all callers wait",
        () -> {
          synchronized (threads) {
            return asking.get() == CALLERS
                && threads.stream().allMatch(it -> it.getState() == Thread.State.WAITING);
          }
        });
    hanging.countDown();
    for (Future<String> caller : callers) {
      assertThatThrownBy(caller::await).isInstanceOf(ServiceUnavailable.class);
    }
    assertThat(reads).hasValue(1);
    assertThat(shared.get("log", () -> "back")).isEqualTo("back");
  }
}
