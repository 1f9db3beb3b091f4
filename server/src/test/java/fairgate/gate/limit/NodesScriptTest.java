package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/// All nodes share one key.
@Isolated
final class NodesScriptTest {
  private static final Duration LIFE = Duration.ofMinutes(1);

  private final LimitWorld world = new LimitWorld();
  private final NodesScript script = new NodesScript(LimitWorld.redis());

  @BeforeEach
  void nobodyIsThere() {
    assertThat(world.send("DEL", LimitKeys.NODES).number()).isBetween(0L, 1L);
  }

  private int beat(String node) {
    return script.run(node, LIFE).await();
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
    String longAgo = Long.toString(world.now() / 1_000 - LIFE.toMillis() - 1);
    assertThat(world.send("ZADD", LimitKeys.NODES, longAgo, "a").number()).isZero();
    assertThat(beat("b")).isEqualTo(1);
    assertThat(world.send("ZRANGE", LimitKeys.NODES, "0", "-1").texts()).containsExactly("b");
  }

  @Test
  void theKeyEndsWithTheLastNode() {
    assertThat(beat("a")).isEqualTo(1);
    assertThat(world.send("PTTL", LimitKeys.NODES).number())
        .isBetween(LIFE.toMillis() - 10_000, LIFE.toMillis());
  }
}
