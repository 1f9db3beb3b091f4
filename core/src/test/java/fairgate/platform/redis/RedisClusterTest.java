package fairgate.platform.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestCluster;
import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.testkit.Eventually;
import fairgate.testkit.RedisCluster;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A cluster of three masters: calls reach the owner of their slot while slots move and masters
/// fail.
@Tag("slow")
class RedisClusterTest {
  private static final LuaScript COUNT = LuaScript.load(RedisClusterTest.class, "count.lua");
  private static final LuaScript BOTH = LuaScript.load(RedisClusterTest.class, "both.lua");
  private static final Vertx VERTX = Vertx.vertx();
  private static RedisCluster cluster;
  private static RedisClient redis;

  @BeforeAll
  static void start() {
    cluster = TestCluster.start();
    redis = RedisClient.connect(VERTX, RedisSettings.cluster(cluster.uri(0), List.of())).await();
  }

  @AfterAll
  static void stop() throws TimeoutException {
    redis.close();
    VERTX.close().await(60, TimeUnit.SECONDS);
    cluster.close();
  }

  @Test
  void slotsEqualThoseOfRedis() {
    Random random = new Random(7);
    List<String> keys =
        new ArrayList<>(List.of("", "a", "{}", "{}{b}", "{b", "b}", "}{b}", "{{b}}"));
    for (int i = 0; i < 200; i++) {
      StringBuilder key = new StringBuilder();
      for (int length = random.nextInt(20); length >= 0; length--) {
        key.append("{}:ab1é隊".charAt(random.nextInt(8)));
      }
      keys.add(key.toString());
    }
    assertThat(keys).allSatisfy(key -> assertThat(KeySlot.of(key)).isEqualTo(cluster.slot(key)));
  }

  @Test
  void theFenceHasTheSlotOfItsKey() {
    for (String key : List.of("event:{7}:sale", "{line}:inbox", "redeem:ban:{ip:1.2.3.4}")) {
      String tag = String.valueOf(KeySlot.tag(key));
      assertThat(KeySlot.of(ClusterConnection.fence(tag))).isEqualTo(KeySlot.of(key));
    }
    assertThat(KeySlot.tag("session:x:product")).isNull();
    assertThat(KeySlot.tag("a{}b")).isNull();
  }

  @Test
  void batchesAreSplitBySlot() {
    ScriptBatcher batcher = new ScriptBatcher(redis, COUNT, 64);
    ScriptBatcher.Shared nothing = new ScriptBatcher.Shared("count", List.of(), List.of());
    List<Future<String>> counts = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      // Some keys share a tag, some only a slot, most neither.
      String key = i % 3 == 0 ? "{count:" + i % 5 + "}:" + i % 30 : "count:" + i % 300;
      counts.add(batcher.call(nothing, new ScriptBatcher.Item(List.of(key), List.of())));
    }
    long sum = 0;
    for (Future<String> count : counts) {
      assertThat(count.await()).matches("\\d+");
    }
    for (int i = 0; i < 600; i++) {
      String key = i % 3 == 0 ? "{count:" + i % 5 + "}:" + i % 30 : "count:" + i % 300;
      String count = cluster.call(cluster.owner(cluster.slot(key)), "GETDEL", key);
      sum += count.isEmpty() ? 0 : Long.parseLong(count);
    }
    assertThat(sum).as("each once").isEqualTo(600);
  }

  @Test
  void callsFollowAMovedSlot() {
    String key = "moved";
    int slot = cluster.slot(key);
    int from = cluster.owner(slot);
    int to = (from + 1) % RedisCluster.MASTERS;
    assertThat(redis.send("INCR", key).await().number()).isEqualTo(1);
    cluster.beginMove(slot, from, to);
    cluster.endMove(slot, from, to);
    assertThat(redis.send("INCR", key).await().number()).isEqualTo(2);
    assertThat(redis.run(COUNT, List.of(key), List.of()).await().textAt(0)).isEqualTo("3");
    assertThat(redis.node(key)).isEqualTo(cluster.node(to));
    cluster.beginMove(slot, to, from);
    cluster.endMove(slot, to, from);
  }

  @Test
  void aScriptNeverSeesHalfOfAMovingSlot() {
    String first = "{way}:first";
    String second = "{way}:second";
    int slot = cluster.slot(first);
    int from = cluster.owner(slot);
    int to = (from + 1) % RedisCluster.MASTERS;
    assertThat(both(first, second).await()).isEqualTo("1 1 1");
    cluster.beginMove(slot, from, to);
    assertThat(both(first, second).transform(done -> Future.succeededFuture(done.failed())).await())
        .as("nothing has moved yet, and it may at any moment")
        .isTrue();
    String port = Integer.toString(cluster.port(to));
    String[] move = {"MIGRATE", "127.0.0.1", port, second, "0", "5000"};
    assertThat(cluster.call(from, move)).isEqualTo("OK");

    Future<String> waits = both(first, second);
    assertThat(redis.send("GET", first).await().text()).isEqualTo("1");
    assertThat(waits.isComplete()).isFalse();
    cluster.endMove(slot, from, to);
    assertThat(waits.await()).isEqualTo("2 2 1");
  }

  private static Future<String> both(String first, String second) {
    return redis.run(BOTH, List.of(first), List.of(second)).map(RedisReply::text);
  }

  /// The nodes that do not answer a ping within its second, which on a busy machine may be all.
  private static List<String> unreachable(RedisClient client) {
    return client.unreachableNodes().otherwise(List.copyOf(client.nodes())).await();
  }

  @Test
  void aDeadMasterAffectsItsOwnKeysOnly() {
    String[] keys = new String[RedisCluster.MASTERS];
    for (int i = 0, found = 0; found < keys.length; i++) {
      int owner = cluster.owner(cluster.slot("dies:" + i));
      if (keys[owner] == null) {
        keys[owner] = "dies:" + i;
        found++;
      }
    }
    for (String key : keys) {
      assertThat(redis.send("SET", key, "kept").await().text()).isEqualTo("OK");
    }
    Eventually.await(() -> unreachable(redis).isEmpty());
    cluster.kill(1);
    Eventually.await(() -> unreachable(redis).equals(List.of(cluster.node(1))));
    assertThat(redis.connected(keys[1])).isFalse();
    assertThat(redis.connected(keys[0])).isTrue();
    assertThatThrownBy(() -> redis.send("GET", keys[1]).await())
        .isInstanceOf(ServiceUnavailable.class);
    assertThat(redis.send("GET", keys[0]).await().text()).isEqualTo("kept");
    assertThat(redis.send("GET", keys[2]).await().text()).isEqualTo("kept");

    cluster.restart(1);
    Eventually.await(() -> unreachable(redis).isEmpty());
    Eventually.await(
        () ->
            redis.send("GET", keys[1]).map(RedisReply::text).otherwise("").await().equals("kept"));
  }

  @Test
  void aMasterMissingAtTheStartDoesNotDelayTheOthers() {
    cluster.kill(2);
    RedisSettings settings =
        RedisSettings.cluster(cluster.uri(2), List.of(cluster.node(2), cluster.node(0)));
    try (RedisClient late = RedisClient.connect(VERTX, settings).await()) {
      Eventually.await(() -> unreachable(late).equals(List.of(cluster.node(2))));
    } finally {
      cluster.restart(2);
    }
  }

  @Test
  void aSingleRedisIsRefusedAsACluster() {
    String uri = TestEngines.shared().redisUri();
    assertThatThrownBy(
            () -> RedisClient.connect(VERTX, RedisSettings.cluster(uri, List.of())).await())
        .isInstanceOf(ServiceUnavailable.class)
        .hasMessageContaining("cluster support disabled");
  }
}
