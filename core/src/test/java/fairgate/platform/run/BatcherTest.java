package fairgate.platform.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class BatcherTest {
  @Test
  void pendingCallsShareBatchesAndEachCallGetsItsOwnResult() throws Exception {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    List<Integer> sizes = new CopyOnWriteArrayList<>();
    Batcher<Integer, String> batcher =
        Batcher.blocking(
            "test",
            50,
            1,
            items -> {
              sizes.add(items.size());
              first.countDown();
              await(go);
              return items.stream().map(i -> "answer " + i).toList();
            });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      answers.add(CompletableFuture.supplyAsync(() -> batcher.call(0), threads));
      await(first);
      for (int i = 1; i <= 120; i++) {
        int item = i;
        answers.add(CompletableFuture.supplyAsync(() -> batcher.call(item), threads));
      }
      Eventually.await(() -> batcher.pendingCalls() == 120);
      go.countDown();
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo("answer " + i);
      }
    }
    assertThat(sizes).containsExactly(1, 50, 50, 20);
  }

  @Test
  void anExceptionOfABatchReachesEachOfItsCallers() {
    Batcher<Integer, String> batcher =
        Batcher.blocking(
            "test",
            50,
            1,
            items -> {
              throw new IllegalArgumentException("no");
            });
    assertThatThrownBy(() -> batcher.call(1)).hasMessage("no");
    assertThatThrownBy(() -> batcher.call(2)).hasMessage("no");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
