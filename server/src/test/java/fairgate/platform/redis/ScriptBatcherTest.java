package fairgate.platform.redis;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Which calls go in one run. Redis is kept busy by each run for longer than the event loop takes
/// to bring the calls of all turns.
@Timeout(30)
final class ScriptBatcherTest {
  private static final LuaScript SCRIPT = LuaScript.load(ScriptBatcherTest.class, "together.lua");
  private static final int MOST = 20;
  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("together", List.of(), List.of("150"));

  private final Vertx vertx = Vertx.vertx();
  private final Context loop = vertx.getOrCreateContext();
  private final RedisClient redis =
      RedisClient.connect(
              vertx, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
          .await();
  private final ScriptBatcher batcher = new ScriptBatcher(redis, SCRIPT, MOST);
  private ScriptBatcher.Shared shared = SHARED;

  @AfterEach
  void end() {
    redis.close();
    var _ = vertx.close().await();
  }

  /// Brings so many calls in each turn of the loop.
  ///
  /// @return for each turn with how many its calls went
  private List<List<String>> turns(int... calls) {
    List<Promise<List<String>>> told = new ArrayList<>();
    for (int i = 0; i < calls.length; i++) {
      told.add(Promise.promise());
    }
    loop.runOnContext(_ -> turn(0, calls, told));
    return told.stream().map(turn -> turn.future().await()).toList();
  }

  /// The next turn begins when what this one has set going has had its own.
  private void turn(int at, int[] calls, List<Promise<List<String>>> told) {
    call(calls[at]).onComplete(told.get(at));
    if (at + 1 < calls.length) {
      loop.runOnContext(_ -> loop.runOnContext(_ -> turn(at + 1, calls, told)));
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

  @Test
  void callsOfOneTurnGoTogether() {
    assertThat(turns(5)).containsExactly(each(5, 5));
  }

  @Test
  void behindALongRunTheyGather() {
    assertThat(turns(10, 3, 4)).containsExactly(each(10, 10), each(3, 7), each(4, 7));
  }

  @Test
  void behindAShortRunOneMoreGoesAtOnce() {
    assertThat(turns(2, 9, 3, 4)).containsExactly(each(2, 2), each(9, 9), each(3, 7), each(4, 7));
  }

  @Test
  void halfOfARunDoesNotWaitForTheTurnsEnd() {
    List<String> told = turns(MOST / 2 + 5).getFirst();
    assertThat(told.subList(0, MOST / 2)).isEqualTo(each(MOST / 2, MOST / 2));
    assertThat(told.subList(MOST / 2, told.size())).isEqualTo(each(5, 5));
  }

  @Test
  void whatIsDrawnIsDrawnOnceForEachRun() {
    AtomicInteger draws = new AtomicInteger();
    shared =
        new ScriptBatcher.Shared(
            "together",
            List.of(),
            List.of(),
            () -> {
              draws.incrementAndGet();
              return "150";
            });
    assertThat(turns(10, 3, 4)).containsExactly(each(10, 10), each(3, 7), each(4, 7));
    assertThat(draws).hasValue(2);
  }

  @Test
  void aFullRunDoesNotWait() {
    assertThat(turns(10, MOST, 1, 2))
        .containsExactly(each(10, 10), each(MOST, MOST), each(1, 3), each(2, 3));
  }
}
