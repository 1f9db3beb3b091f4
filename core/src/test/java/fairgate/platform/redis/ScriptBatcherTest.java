package fairgate.platform.redis;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The calls of each batch. Each run keeps Redis busy for longer than the event loop needs to make
/// the calls of all iterations.
@Timeout(180)
final class ScriptBatcherTest {
  private static final LuaScript SCRIPT = LuaScript.load(ScriptBatcherTest.class, "together.lua");
  private static final int MAX_BATCH_SIZE = 20;
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("together", List.of(), List.of("400"));

  private final Vertx vertx = Vertx.vertx();
  private final Context loop = vertx.getOrCreateContext();
  private final RedisClient redis =
      RedisClient.connect(
              vertx, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
          .await();
  private final ScriptBatcher batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
  private ScriptBatcher.Shared shared = SHARED;

  @AfterEach
  void end() {
    redis.close();
    var _ = vertx.close().await();
  }

  /// Makes this number of calls in each iteration of the event loop.
  ///
  /// @return for each iteration, the batch sizes of its calls
  private List<List<String>> turns(int... calls) {
    List<Promise<List<String>>> replies = new ArrayList<>();
    for (int i = 0; i < calls.length; i++) {
      replies.add(Promise.promise());
    }
    loop.runOnContext(_ -> turn(0, calls, replies));
    return replies.stream().map(turn -> turn.future().await()).toList();
  }

  /// The next iteration begins after the tasks of this one.
  private void turn(int at, int[] calls, List<Promise<List<String>>> replies) {
    call(calls[at]).onComplete(replies.get(at));
    if (at + 1 < calls.length) {
      loop.runOnContext(_ -> loop.runOnContext(_ -> turn(at + 1, calls, replies)));
    }
  }

  private Future<List<String>> call(int count) {
    List<Future<String>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(batcher.call(shared, new ScriptBatcher.Item(List.of("together:" + i), List.of())));
    }
    return Future.join(all).map(_ -> all.stream().map(Future::result).toList());
  }

  private static List<String> each(int calls, int together) {
    return Collections.nCopies(calls, Integer.toString(together));
  }

  /// Repeats the calls when the machine stood still between two iterations until a batch had ended.
  private void awaitBatches(List<List<String>> wanted, int... calls) {
    var _ = Eventually.get("batches of " + wanted, () -> turns(calls), wanted::equals);
  }

  @Test
  void callsOfOneIterationShareABatch() {
    assertThat(turns(5)).containsExactly(each(5, 5));
  }

  @Test
  void callsWaitWhileALargeBatchIsInFlight() {
    awaitBatches(List.of(each(10, 10), each(3, 7), each(4, 7)), 10, 3, 4);
  }

  @Test
  void aSecondBatchIsSentWhileASmallOneIsInFlight() {
    awaitBatches(List.of(each(2, 2), each(9, 9), each(3, 7), each(4, 7)), 2, 9, 3, 4);
  }

  @Test
  void halfABatchIsSentBeforeTheIterationEnds() {
    List<String> replies = turns(MAX_BATCH_SIZE / 2 + 5).getFirst();
    assertThat(replies.subList(0, MAX_BATCH_SIZE / 2))
        .isEqualTo(each(MAX_BATCH_SIZE / 2, MAX_BATCH_SIZE / 2));
    assertThat(replies.subList(MAX_BATCH_SIZE / 2, replies.size())).isEqualTo(each(5, 5));
  }

  @Test
  void aFullBatchDoesNotWait() {
    awaitBatches(
        List.of(each(10, 10), each(MAX_BATCH_SIZE, MAX_BATCH_SIZE), each(1, 3), each(2, 3)),
        10,
        MAX_BATCH_SIZE,
        1,
        2);
  }
}
