package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ChatQueuesTest {
  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void jobsOfAChatRunInOrder() {
    ChatQueues queues = new ChatQueues(10_000);
    Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
    CountDownLatch all = new CountDownLatch(5_000);
    for (int i = 0; i < 5_000; i++) {
      int number = i;
      String chat = "chat " + i % 7;
      assertThat(
              queues.offer(
                  chat,
                  () -> {
                    seen.computeIfAbsent(chat, _ -> new CopyOnWriteArrayList<>()).add(number);
                    all.countDown();
                  }))
          .isTrue();
    }
    await(all);
    LineWorld.await(() -> queues.size() == 0);
    for (int c = 0; c < 7; c++) {
      int chat = c;
      assertThat(seen.get("chat " + c))
          .containsExactlyElementsOf(
              IntStream.range(0, 5_000).filter(i -> i % 7 == chat).boxed().toList());
    }
  }

  @Test
  void aHangingChatDoesNotBlockOthers() {
    ChatQueues queues = new ChatQueues(10);
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    assertThat(queues.offer("a", () -> await(gate))).isTrue();
    assertThat(queues.offer("b", other::countDown)).isTrue();
    await(other);
    gate.countDown();
  }

  @Test
  void jobsBeyondTheLimitAreRefusedAndAFailedJobFreesItsPlace() {
    ChatQueues queues = new ChatQueues(2);
    CountDownLatch gate = new CountDownLatch(1);
    assertThat(
            queues.offer(
                "a",
                () -> {
                  await(gate);
                  throw new IllegalStateException("on purpose");
                }))
        .isTrue();
    CountDownLatch second = new CountDownLatch(1);
    assertThat(queues.offer("a", second::countDown)).isTrue();
    assertThat(queues.offer("b", () -> {})).isFalse();
    gate.countDown();
    await(second);
    LineWorld.await(() -> queues.size() == 0);
    assertThat(queues.offer("b", () -> {})).isTrue();
  }

  @Test
  void noJobStartsAfterClose() {
    ChatQueues queues = new ChatQueues(2);
    queues.close();
    assertThat(queues.offer("a", () -> {})).isFalse();
  }
}
