package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.line.Inbox.AcceptEventScript;
import fairgate.line.Inbox.ClaimEventsScript;
import fairgate.line.Inbox.ClaimEventsScript.Claimed;
import fairgate.line.Inbox.MarkEventScript;
import fairgate.platform.redis.RedisClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClaimEventsScriptTest {
  private static final Duration LEASE = Duration.ofSeconds(15);

  private final RedisClient redis = SaleWorld.connect();
  private final AcceptEventScript accept =
      new AcceptEventScript(redis, "anna", LEASE, Duration.ofDays(3));
  private final ClaimEventsScript script = new ClaimEventsScript(redis, "bert", LEASE);

  @BeforeEach
  void empty() {
    assertThat(redis.send("DEL", LineKeys.INBOX, LineKeys.PENDING).await().number())
        .isNotNegative();
  }

  private String event(String payload) {
    String id = UUID.randomUUID().toString();
    assertThat(accept.run(id, payload).await()).isTrue();
    return id;
  }

  private void leaseEnds(String id) {
    assertThat(redis.send("ZADD", LineKeys.PENDING, "XX", "1", id).await().number()).isZero();
  }

  @Test
  void anEventWithALiveLeaseKeepsItsOwner() {
    assertThat(event("x")).isNotEmpty();
    assertThat(script.run(10).await()).isEmpty();
  }

  @Test
  void anEventWithAnExpiredLeaseGetsANewOwner() {
    String id = event("some thing\nmore");
    leaseEnds(id);
    assertThat(script.run(10).await()).containsExactly(new Claimed("new", 2, "some thing\nmore"));
    assertThat(redis.send("HGET", LineKeys.INBOX, id).await().text())
        .isEqualTo("new bert 2 some thing\nmore");
    assertThat(script.run(10).await()).as("a new lease").isEmpty();
    leaseEnds(id);
    assertThat(script.run(10).await()).extracting(Claimed::tries).containsExactly(3);
  }

  @Test
  void theNewOwnerLearnsTheStep() {
    String id = event("x");
    assertThat(new MarkEventScript(redis, "anna", LEASE, LEASE).run(id, "reply").await()).isTrue();
    leaseEnds(id);
    assertThat(script.run(10).await()).containsExactly(new Claimed("reply", 2, "x"));
  }

  @Test
  void atMostTheRequestedNumberIsClaimed() {
    for (int i = 0; i < 5; i++) {
      leaseEnds(event("x" + i));
    }
    assertThat(script.run(3).await()).hasSize(3);
    assertThat(script.run(3).await()).hasSize(2);
  }

  @Test
  void aLeaseWithoutAnEventIsDeleted() {
    assertThat(redis.send("ZADD", LineKeys.PENDING, "1", "ghost").await().number()).isEqualTo(1);
    assertThat(script.run(10).await()).isEmpty();
    assertThat(redis.send("EXISTS", LineKeys.PENDING).await().number()).isZero();
  }
}
