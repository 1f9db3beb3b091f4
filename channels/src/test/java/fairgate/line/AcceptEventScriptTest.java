package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.line.Inbox.AcceptEventScript;
import fairgate.platform.redis.RedisClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AcceptEventScriptTest {
  private final RedisClient redis = SaleWorld.connect();
  private final AcceptEventScript script =
      new AcceptEventScript(redis, "anna", Duration.ofSeconds(15), Duration.ofDays(3));
  private final String id = UUID.randomUUID().toString();

  @BeforeEach
  void empty() {
    assertThat(redis.send("DEL", LineKeys.INBOX, LineKeys.PENDING).await().number())
        .isNotNegative();
  }

  @Test
  void aNewEventIsStoredWithItsOwnerAndALease() {
    assertThat(script.run(id, "{\"a\": \"b c\"}").await()).isTrue();
    assertThat(redis.send("HGET", LineKeys.INBOX, id).await().text())
        .isEqualTo("new anna 1 {\"a\": \"b c\"}");
    long now = Long.parseLong(redis.send("TIME").await().textAt(0)) * 1000;
    double until = Double.parseDouble(redis.send("ZSCORE", LineKeys.PENDING, id).await().text());
    assertThat(until).isBetween(now - 45_000.0, now + 16_000.0);
  }

  @Test
  void anEventIdIsRememberedForThreeDays() {
    assertThat(script.run(id, "x").await()).isTrue();
    assertThat(redis.send("TTL", LineKeys.event(id)).await().number())
        .isBetween(259_100L, 259_200L);
  }

  @Test
  void aRepeatIsADuplicateEvenAfterTheEventIsDone() {
    assertThat(script.run(id, "x").await()).isTrue();
    assertThat(script.run(id, "x").await()).isFalse();
    assertThat(redis.send("DEL", LineKeys.INBOX, LineKeys.PENDING).await().number()).isEqualTo(2);
    assertThat(script.run(id, "x").await()).isFalse();
    assertThat(redis.send("EXISTS", LineKeys.INBOX).await().number()).isZero();
  }

  @Test
  void anEventIsNewAgainAfterItsMarkExpired() {
    assertThat(script.run(id, "x").await()).isTrue();
    assertThat(redis.send("DEL", LineKeys.event(id)).await().number()).isEqualTo(1);
    assertThat(script.run(id, "x").await()).isTrue();
  }
}
