package fairgate.link.cache;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.link.cache.RedisLinks.LinkKeys;
import fairgate.link.cache.RedisLinks.PutLinkScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.RespConnection;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class PutLinkScriptTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final String URI = TestEngines.shared().redisUri();
  private static final RedisClient REDIS =
      RedisClient.connect(VERTX, new RedisSettings(URI, Duration.ofMinutes(1))).await();

  private final PutLinkScript script = new PutLinkScript(REDIS);
  private final String key = LinkKeys.link("test-" + UUID.randomUUID());

  private String put(long version, String value) {
    return script.run(key, version, Duration.ofSeconds(30), value).await();
  }

  private String there() {
    return RespConnection.call(URI, "GET", key);
  }

  @Test
  void whatIsNewerStays() {
    assertThat(put(7, "7 disabled 302 0 0 http://a/")).isEqualTo("PUT");
    assertThat(put(6, "6 active 302 0 0 http://a/")).isEqualTo("KEPT");
    assertThat(put(0, "__nil__")).isEqualTo("KEPT");
    assertThat(there()).startsWith("7 disabled");
    assertThat(put(7, "7 disabled 302 0 0 http://a/")).as("a repeat").isEqualTo("PUT");
    assertThat(put(8, "8 active 302 0 0 http://a/")).isEqualTo("PUT");
    assertThat(there()).startsWith("8 active");
  }

  @Test
  void whatIsMadeReplacesThatThereIsNone() {
    assertThat(put(0, "__nil__")).isEqualTo("PUT");
    assertThat(there()).isEqualTo("__nil__");
    assertThat(put(3, "3 active 302 0 0 http://a/")).isEqualTo("PUT");
    assertThat(there()).startsWith("3 ");
  }

  @Test
  void itEndsByItself() {
    assertThat(put(0, "__nil__")).isEqualTo("PUT");
    assertThat(Long.parseLong(RespConnection.call(URI, "PTTL", key))).isBetween(1L, 30_000L);
  }

  @Test
  void whatIsNoLinkIsWrittenOver() {
    assertThat(RespConnection.call(URI, "SET", key, "https://example.com/ of another program"))
        .isEqualTo("OK");
    assertThat(put(1, "1 active 302 0 0 http://a/")).isEqualTo("PUT");
    assertThat(RespConnection.call(URI, "DEL", key)).isEqualTo("1");
    assertThat(RespConnection.call(URI, "RPUSH", key, "list")).isEqualTo("1");
    assertThat(put(1, "1 active 302 0 0 http://a/")).isEqualTo("PUT");
  }
}
