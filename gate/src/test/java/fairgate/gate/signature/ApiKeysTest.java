package fairgate.gate.signature;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.challenge.GateFixture;
import fairgate.gate.signature.ApiKeys.ApiKey;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ApiKeysTest {
  private static final byte[] TEXT = {1, 2, 3};

  private final SignatureWorld world = new SignatureWorld();
  private final ApiKeys keys = world.keys;

  @AfterEach
  void close() {
    world.close();
  }

  private ApiKeys.CreatedKey made(String name) {
    return keys.create(name, null, "operator@test").orElseThrow();
  }

  @Test
  void aNewKeySignsAtOnceAndIsListedWithoutItsSecret() {
    ApiKeys.CreatedKey made = made("shop");
    assertThat(made.key().id()).matches("ak_[A-Za-z0-9_-]{22}");
    assertThat(Base64.getDecoder().decode(made.secret())).hasSize(32);
    assertThat(keys.usable(made.key().id())).isPresent();
    assertThat(keys.all()).containsExactly(made.key());
    assertThat(made.toString() + keys.all()).doesNotContain(made.secret());
  }

  @Test
  void theDatabaseHoldsNoSecretInTheClear() {
    byte[] secret = Base64.getDecoder().decode(made("shop").secret());
    String box =
        world.database.query("SELECT sealed FROM api_keys").await().getFirst().getString("sealed");
    byte[] sealed = Base64.getDecoder().decode(box);
    for (int at = 0; at + 8 <= sealed.length; at++) {
      assertThat(Arrays.copyOfRange(sealed, at, at + 8)).isNotEqualTo(Arrays.copyOf(secret, 8));
    }
  }

  @Test
  void otherNodesAndARestartedNodeLoadTheKey() {
    ApiKeys.CreatedKey made = made("shop");
    try (ApiKeys other = world.node()) {
      assertThat(other.usable(made.key().id()).orElseThrow().mac(TEXT))
          .isEqualTo(keys.usable(made.key().id()).orElseThrow().mac(TEXT));
    }
  }

  @Test
  void changesReachOtherNodes() {
    try (ApiKeys other = world.node()) {
      ApiKeys.CreatedKey first = made("one");
      ApiKeys.CreatedKey second = made("two");
      Eventually.await(() -> other.usable(second.key().id()).isPresent());
      assertThat(keys.revoke(first.key().id(), "operator@test")).isPresent();
      assertThat(keys.usable(first.key().id())).isEmpty();
      Eventually.await(() -> other.usable(first.key().id()).isEmpty());
      assertThat(other.usable(second.key().id())).isPresent();
    }
  }

  @Test
  void revokingTwiceChangesNothing() {
    String id = made("shop").key().id();
    ApiKey revoked = keys.revoke(id, "anna").orElseThrow();
    assertThat(keys.revoke(id, "bert")).contains(revoked);
    assertThat(revoked.revokedAt()).isNotNull();
    assertThat(keys.revoke("ak_nobody", "anna")).isEmpty();
  }

  @Test
  void aKeyExpires() {
    Instant end = world.gate.clock.instant().plusSeconds(10);
    String id = keys.create("short", end, "anna").orElseThrow().key().id();
    world.gate.clock.advance(Duration.ofSeconds(9));
    assertThat(keys.usable(id)).isPresent();
    world.gate.clock.advance(Duration.ofSeconds(1));
    assertThat(keys.usable(id)).isEmpty();
  }

  @Test
  void aKeyWithoutItsMasterKeyCannotSign() {
    String id = made("shop").key().id();
    try (ApiKeys later =
        ApiKeys.open(
            world.database, GateFixture.keys("k2", "k2"), world.gate.ids, world.gate.clock)) {
      assertThat(later.usable(id)).isEmpty();
      assertThat(later.all()).hasSize(1);
    }
  }

  @Test
  void theNumberOfLiveKeysIsLimited() {
    var _ =
        world
            .database
            .query(
                """
                INSERT INTO api_keys (key_id, name, created_by, sealed_under, sealed)
                SELECT 'ak_' || lpad(i::text, 22, '0'), 'n', 'a', 'gone', ''
                FROM generate_series(1, 1000) i
                """)
            .await();
    assertThat(keys.create("one too many", null, "anna")).isEmpty();
    assertThat(keys.revoke("ak_0000000000000000000001", "anna")).isPresent();
    assertThat(keys.create("fits", null, "anna")).isPresent();
  }
}
