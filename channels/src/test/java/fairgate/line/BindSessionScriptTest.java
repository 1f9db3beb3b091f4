package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.line.Bindings.BindSessionScript;
import fairgate.line.JoinTokens.Link;
import fairgate.platform.redis.RedisClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class BindSessionScriptTest {
  private static final Duration DAY = Duration.ofHours(24);

  private final RedisClient redis = SaleWorld.connect();
  private final BindSessionScript script = new BindSessionScript(redis);
  private final String user = "U" + UUID.randomUUID().toString().replace("-", "");
  private final Link link = new Link(user, new ProductId("7"), UUID.randomUUID().toString());
  private final SessionId first = new SessionId(UUID.randomUUID().toString());
  private final SessionId second = new SessionId(UUID.randomUUID().toString());

  @Test
  void aSessionIsBoundToTheUser() {
    assertThat(script.run(link, first, DAY).await()).isTrue();
    assertThat(redis.send("GET", LineKeys.session(first)).await().text()).isEqualTo("7 " + user);
    assertThat(redis.send("HGET", LineKeys.user(user), "7").await().text())
        .isEqualTo(first.value());
    for (String key :
        new String[] {LineKeys.session(first), LineKeys.user(user), LineKeys.link(link.nonce())}) {
      assertThat(redis.send("TTL", key).await().number()).as(key).isBetween(86_300L, 86_400L);
    }
  }

  @Test
  void aLinkBindsOneSessionOnly() {
    assertThat(script.run(link, first, DAY).await()).isTrue();
    assertThat(script.run(link, second, DAY).await()).isFalse();
    assertThat(script.run(link, first, DAY).await()).isTrue();
    assertThat(redis.send("EXISTS", LineKeys.session(second)).await().number()).isZero();
  }

  @Test
  void aNewLinkBindsTheUsersNewSession() {
    assertThat(script.run(link, first, DAY).await()).isTrue();
    Link other = new Link(user, new ProductId("7"), UUID.randomUUID().toString());
    assertThat(script.run(other, second, DAY).await()).isTrue();
    assertThat(redis.send("HGET", LineKeys.user(user), "7").await().text())
        .isEqualTo(second.value());
  }

  @Test
  void aBindingLivesAsLongAsItsSessionAndDoesNotShortenOthers() {
    assertThat(script.run(link, first, Duration.ofDays(31)).await()).isTrue();
    Link other = new Link(user, new ProductId("8"), UUID.randomUUID().toString());
    assertThat(script.run(other, second, DAY).await()).isTrue();
    assertThat(days(LineKeys.session(first))).isEqualTo(30);
    assertThat(days(LineKeys.user(user))).isEqualTo(30);
    assertThat(days(LineKeys.session(second))).isZero();
    assertThat(days(LineKeys.link(link.nonce()))).isZero();
  }

  /// Remaining lifetime of a key, whole days.
  private long days(String key) {
    return Duration.ofMillis(redis.send("PTTL", key).await().number() - 1).toDays();
  }
}
