package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.app.command.StartFailed;
import fairgate.platform.redis.RedisClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RedisLayoutTest {
  private static final String KEY = "fairgate:layout";

  private final RedisClient redis = SaleWorld.connect();

  @BeforeEach
  void forget() {
    var _ = redis.send("DEL", KEY).await();
  }

  @AfterEach
  void close() {
    forget();
    redis.close();
  }

  private String found() {
    return String.join(" ", redis.send("HMGET", KEY, "version", "minimum").await().texts());
  }

  private void write(String version, String minimum) {
    var _ = redis.send("HSET", KEY, "version", version, "minimum", minimum).await();
  }

  @Test
  void theLayoutIsStoredOnce() {
    RedisLayout.check(redis);
    assertThat(found()).isEqualTo("1 1");
    RedisLayout.check(redis);
    assertThat(found()).isEqualTo("1 1");
  }

  @Test
  void aNewerCompatibleLayoutIsKept() {
    write("3", "1");
    RedisLayout.check(redis);
    assertThat(found()).isEqualTo("3 1");
  }

  @Test
  void anIncompatibleLayoutPreventsTheStart() {
    write("3", "2");
    assertThatThrownBy(() -> RedisLayout.check(redis))
        .isInstanceOf(StartFailed.class)
        .hasMessageContaining("layout 2 or later");
    assertThat(found()).isEqualTo("3 2");
  }
}
