package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.line.JoinTokens.Link;
import fairgate.platform.redis.RedisClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class BindSessionScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final BindSessionScript script = new BindSessionScript(redis, Duration.ofHours(24));
  private final String user = "U" + UUID.randomUUID().toString().replace("-", "");
  private final Link link = new Link(user, new ProductId("7"), UUID.randomUUID().toString());
  private final SessionId first = new SessionId(UUID.randomUUID().toString());
  private final SessionId second = new SessionId(UUID.randomUUID().toString());

  @Test
  void aPlaceBecomesTheUsers() {
    assertThat(script.run(link, first).await()).isTrue();
    assertThat(redis.send("GET", LineKeys.session(first)).await().text()).isEqualTo("7 " + user);
    assertThat(redis.send("HGET", LineKeys.user(user), "7").await().text())
        .isEqualTo(first.value());
    for (String key :
        new String[] {LineKeys.session(first), LineKeys.user(user), LineKeys.link(link.nonce())}) {
      assertThat(redis.send("TTL", key).await().number()).as(key).isBetween(86_390L, 86_400L);
    }
  }

  @Test
  void aLinkBindsOnePlaceHoweverOften() {
    assertThat(script.run(link, first).await()).isTrue();
    assertThat(script.run(link, second).await()).isFalse();
    assertThat(script.run(link, first).await()).isTrue();
    assertThat(redis.send("EXISTS", LineKeys.session(second)).await().number()).isZero();
  }

  @Test
  void aNewLinkMovesTheUserToHisNewPlace() {
    assertThat(script.run(link, first).await()).isTrue();
    Link other = new Link(user, new ProductId("7"), UUID.randomUUID().toString());
    assertThat(script.run(other, second).await()).isTrue();
    assertThat(redis.send("HGET", LineKeys.user(user), "7").await().text())
        .isEqualTo(second.value());
  }
}
