package fairgate.gate.limit.node;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.limit.node.NodesScript.Answer;
import fairgate.gate.limit.node.NodesScript.Holder;
import fairgate.gate.limit.node.NodesScript.Word;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Who is there, and who is alone; every test has keys of its own.
final class NodesScriptTest {
  private static final AtomicLong NEXT = new AtomicLong(System.nanoTime());
  private static final Duration LIFE = Duration.ofMinutes(1);
  private static final Duration LENT = Duration.ofSeconds(40);

  @SuppressWarnings("NullAway.Init")
  private static Vertx vertx;

  @SuppressWarnings("NullAway.Init")
  private static RedisClient redis;

  private final String nodes = "rl:t:nodes" + NEXT.incrementAndGet();
  private final String alone = "rl:t:alone" + NEXT.get();
  private final NodesScript script = new NodesScript(redis, List.of(nodes, alone));

  @BeforeAll
  static void connect() {
    vertx = Vertx.vertx();
    redis =
        RedisClient.connect(
                vertx, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
            .await();
  }

  @AfterAll
  static void close() {
    redis.close();
    vertx.close().await();
  }

  private static RedisReply send(String command, String... args) {
    return redis.send(command, args).await();
  }

  private Answer says(String node, Word word) {
    return script.run(node, LIFE, LENT, word).await();
  }

  private int beat(String node) {
    return says(node, Word.WANT).alive();
  }

  @Test
  void eachNodeCountsOnce() {
    assertThat(beat("a")).isEqualTo(1);
    assertThat(beat("a")).isEqualTo(1);
    assertThat(beat("b")).isEqualTo(2);
    assertThat(beat("a")).isEqualTo(2);
  }

  @Test
  void aNodeThatSaysNothingAnyMoreIsForgotten() {
    assertThat(beat("a")).isEqualTo(1);
    RedisReply time = send("TIME");
    long now = Long.parseLong(time.textAt(0)) * 1_000;
    String longAgo = Long.toString(now - LIFE.toMillis() - 2_000);
    assertThat(send("ZADD", nodes, longAgo, "a").number()).isZero();
    assertThat(beat("b")).isEqualTo(1);
    assertThat(send("ZRANGE", nodes, "0", "-1").texts()).containsExactly("b");
  }

  @Test
  void theKeysEndWithTheLastNode() {
    assertThat(beat("a")).isEqualTo(1);
    assertThat(send("PTTL", nodes).number()).isBetween(LIFE.toMillis() - 10_000, LIFE.toMillis());
    assertThat(send("PTTL", alone).number()).isBetween(LENT.toMillis() - 10_000, LENT.toMillis());
  }

  @Test
  void onlyWhoIsAloneHasTheLimits() {
    assertThat(says("a", Word.KEEP)).isEqualTo(new Answer(1, Holder.NOBODY));
    assertThat(says("a", Word.WANT)).isEqualTo(new Answer(1, Holder.ME));
    assertThat(says("b", Word.WANT)).isEqualTo(new Answer(2, Holder.ANOTHER));
    long before = send("PTTL", alone).number();
    assertThat(says("a", Word.WANT)).isEqualTo(new Answer(2, Holder.ME));
    // Not prolonged any more.
    assertThat(send("PTTL", alone).number()).isLessThanOrEqualTo(before);
    assertThat(says("b", Word.YIELD)).isEqualTo(new Answer(2, Holder.ANOTHER));
    assertThat(says("a", Word.YIELD)).isEqualTo(new Answer(2, Holder.NOBODY));
    assertThat(says("b", Word.WANT)).isEqualTo(new Answer(2, Holder.NOBODY));
    assertThat(says("a", Word.LEAVE)).isEqualTo(new Answer(1, Holder.NOBODY));
    assertThat(says("b", Word.WANT)).isEqualTo(new Answer(1, Holder.ME));
  }

  @Test
  void whatSomebodyHadWhoDiedIsWaitedFor() {
    assertThat(says("a", Word.WANT)).isEqualTo(new Answer(1, Holder.ME));
    assertThat(send("ZREM", nodes, "a").number()).isEqualTo(1);
    assertThat(says("b", Word.WANT)).isEqualTo(new Answer(1, Holder.ANOTHER));
    assertThat(send("DEL", alone).number()).isEqualTo(1);
    assertThat(says("b", Word.WANT)).isEqualTo(new Answer(1, Holder.ME));
  }

  @Test
  void whoLeavesLetsGoSoonAndNeverLater() {
    assertThat(says("a", Word.WANT).holder()).isEqualTo(Holder.ME);
    Answer _ = script.run("a", LIFE, Duration.ofSeconds(5), Word.LEAVE).await();
    assertThat(send("PTTL", alone).number()).isBetween(1L, 5_000L);
    Answer _ = script.run("a", LIFE, Duration.ofSeconds(9), Word.LEAVE).await();
    assertThat(send("PTTL", alone).number()).isBetween(1L, 5_000L);
    assertThat(send("EXISTS", nodes).number()).isZero();
  }
}
