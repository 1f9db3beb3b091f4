package fairgate.link.cache;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.link.cache.RedisLinks.LinkKeys;
import fairgate.link.cache.RedisLinks.TellLinksScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.RespConnection;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class TellLinksScriptTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final TestEngines ENGINES = TestEngines.privateEngines();
  private static final String URI = ENGINES.redisUri();
  private static final RedisClient REDIS =
      RedisClient.connect(VERTX, new RedisSettings(URI, Duration.ofMinutes(1))).await();

  private final TellLinksScript script = new TellLinksScript(REDIS);

  @AfterAll
  static void stop() {
    REDIS.close();
    ENGINES.close();
  }

  @Test
  void whoTellsFromFurtherOnIsSentBack() {
    assertThat(script.run(100, 110).await()).as("never told: holds nothing").isEqualTo(-1);
    assertThat(script.run(110, 120).await()).isEqualTo(-1);
    assertThat(script.run(105, 115).await()).as("a node behind the others").isEqualTo(-1);
    assertThat(RespConnection.call(URI, "GET", LinkKeys.TOLD))
        .as("never goes back")
        .isEqualTo("120");
    assertThat(script.run(121, 130).await()).isEqualTo(120);
    assertThat(RespConnection.call(URI, "GET", LinkKeys.TOLD)).isEqualTo("120");
    // A Redis that came back with an old picture.
    assertThat(RespConnection.call(URI, "SET", LinkKeys.TOLD, "50")).isEqualTo("OK");
    assertThat(script.run(120, 130).await()).isEqualTo(50);
    assertThat(script.run(50, 130).await()).isEqualTo(-1);
  }
}
