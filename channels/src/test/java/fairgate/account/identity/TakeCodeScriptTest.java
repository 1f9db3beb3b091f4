package fairgate.account.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.account.identity.OneTimeCodes.TakeCodeScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFailure;
import fairgate.testkit.Eventually;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TakeCodeScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final TakeCodeScript script = new TakeCodeScript(redis);
  private final String key = OneTimeCodes.key(UUID.randomUUID().toString());

  private void put(long lifeMs) {
    var _ = redis.send("SET", key, "0|digest", "PX", Long.toString(lifeMs)).await();
  }

  private Optional<String> take() {
    return script.run(key, 3).await();
  }

  @Test
  void thereIsNothingToCompareWithWithoutACode() {
    assertThat(take()).isEmpty();
  }

  @Test
  void everyTryCountsAndAfterTheLastTheCodeIsGone() {
    put(60_000);
    assertThat(take()).contains("digest");
    assertThat(take()).contains("digest");
    assertThat(take()).contains("digest");
    assertThat(take()).isEmpty();
    assertThat(redis.send("EXISTS", key).await().number()).isZero();
  }

  @Test
  void triesDoNotLengthenItsLife() {
    put(30_000);
    assertThat(take()).contains("digest");
    assertThat(redis.send("PTTL", key).await().number()).isBetween(1L, 30_000L);
  }

  @Test
  void aCodeExpires() {
    put(1);
    Eventually.await(() -> redis.send("EXISTS", key).await().number() == 0);
    assertThat(take()).isEmpty();
  }

  @Test
  void whatIsNoCodeIsLeftAlone() {
    var _ = redis.send("RPUSH", key, "something").await();
    assertThatThrownBy(this::take).isInstanceOf(RedisFailure.class);
  }
}
