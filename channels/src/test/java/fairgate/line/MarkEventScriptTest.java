package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.line.Inbox.AcceptEventScript;
import fairgate.line.Inbox.MarkEventScript;
import fairgate.platform.redis.RedisClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class MarkEventScriptTest {
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Duration LATER = Duration.ofSeconds(2);

  private final RedisClient redis = SaleWorld.connect();
  private final MarkEventScript anna = new MarkEventScript(redis, "anna", LEASE, LATER);
  private final MarkEventScript bert = new MarkEventScript(redis, "bert", LEASE, LATER);
  private final String id = UUID.randomUUID().toString();

  @BeforeEach
  void storeAnEvent() {
    assertThat(redis.send("DEL", LineKeys.INBOX, LineKeys.PENDING).await().number())
        .isNotNegative();
    AcceptEventScript accept = new AcceptEventScript(redis, "anna", LEASE, Duration.ofDays(3));
    assertThat(accept.run(id, "what was said").await()).isTrue();
  }

  private String kept() {
    return redis.send("HGET", LineKeys.INBOX, id).await().text();
  }

  private double until() {
    return Double.parseDouble(redis.send("ZSCORE", LineKeys.PENDING, id).await().text());
  }

  @Test
  void theOwnerRecordsTheChannelOfTheAnswer() {
    assertThat(anna.run(id, "reply").await()).isTrue();
    assertThat(kept()).isEqualTo("reply anna 1 what was said");
    assertThat(anna.run(id, "reply").await()).as("again").isTrue();
    assertThat(anna.run(id, "push").await()).isTrue();
    assertThat(kept()).isEqualTo("push anna 1 what was said");
  }

  @Test
  void keepRenewsTheLeaseOnly() {
    assertThat(redis.send("ZADD", LineKeys.PENDING, "XX", "1", id).await().number()).isZero();
    assertThat(anna.run(id, "keep").await()).isTrue();
    assertThat(until()).isGreaterThan(1_000_000);
    assertThat(kept()).isEqualTo("new anna 1 what was said");
  }

  @Test
  void aDoneEventIsDeleted() {
    assertThat(anna.run(id, "done").await()).isTrue();
    assertThat(redis.send("EXISTS", LineKeys.INBOX, LineKeys.PENDING).await().number()).isZero();
    assertThat(anna.run(id, "done").await()).isFalse();
    assertThat(anna.run(id, "reply").await()).isFalse();
  }

  @Test
  void laterReleasesTheEventAfterTheDelayAndDoesNotCountTheTry() {
    double before = until();
    assertThat(anna.run(id, "later").await()).isTrue();
    assertThat(kept()).isEqualTo("new - 0 what was said");
    assertThat(until()).isLessThan(before - 10_000);
    assertThat(anna.run(id, "keep").await()).isFalse();
  }

  @Test
  void aFormerOwnerCannotMark() {
    for (String word : new String[] {"keep", "reply", "push", "later", "done"}) {
      assertThat(bert.run(id, word).await()).as(word).isFalse();
    }
    assertThat(kept()).isEqualTo("new anna 1 what was said");
  }
}
