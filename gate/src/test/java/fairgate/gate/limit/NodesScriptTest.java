package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.redis.RedisReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class NodesScriptTest {
  private static final Duration LIFE = Duration.ofMinutes(1);

  private final String nodes = LimitWorld.key();
  private final NodesScript script = new NodesScript(LimitWorld.redis(), nodes);

  private static RedisReply send(String command, String... args) {
    return LimitWorld.redis().send(command, args).await();
  }

  private int report(String node) {
    return script.report(node, LIFE).await();
  }

  @Test
  void eachNodeCountsOnce() {
    assertThat(report("a")).isEqualTo(1);
    assertThat(report("a")).isEqualTo(1);
    assertThat(report("b")).isEqualTo(2);
    assertThat(report("a")).isEqualTo(2);
  }

  @Test
  void aNodeThatStopsReportingIsForgotten() {
    assertThat(report("a")).isEqualTo(1);
    long now = Long.parseLong(send("TIME").textAt(0)) * 1_000;
    String longAgo = Long.toString(now - LIFE.toMillis() - 2_000);
    assertThat(send("ZADD", nodes, longAgo, "a").number()).isZero();
    assertThat(report("b")).isEqualTo(1);
    assertThat(send("ZRANGE", nodes, "0", "-1").texts()).containsExactly("b");
  }

  @Test
  void aNodeThatLeavesIsNotCounted() {
    assertThat(report("a")).isEqualTo(1);
    assertThat(report("b")).isEqualTo(2);
    script.leave("a").await();
    script.leave("a").await();
    assertThat(report("b")).isEqualTo(1);
  }

  @Test
  void theKeyExpiresAfterTheLastReport() {
    assertThat(report("a")).isEqualTo(1);
    assertThat(send("PTTL", nodes).number()).isBetween(LIFE.toMillis() - 10_000, LIFE.toMillis());
  }
}
