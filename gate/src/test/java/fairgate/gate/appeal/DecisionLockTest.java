package fairgate.gate.appeal;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.Eventually;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class DecisionLockTest {
  private final DecisionLock lock = new DecisionLock();
  private final List<String> order = new CopyOnWriteArrayList<>();

  private void decide(String decision) {
    boolean _ = lock.run(() -> order.add(decision));
  }

  @Test
  void aDecisionThatWaitsComesBeforeLaterOnes() throws InterruptedException {
    Thread operator = Thread.ofVirtual().unstarted(() -> decide("operator"));
    boolean _ =
        lock.run(
            () -> {
              operator.start();
              Eventually.await("it waits", () -> operator.getState() == Thread.State.TIMED_WAITING);
              return order.add("first");
            });
    decide("again");
    operator.join();
    assertThat(order).containsExactly("first", "operator", "again");
  }
}
