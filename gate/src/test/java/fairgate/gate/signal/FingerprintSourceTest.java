package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.Features;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Fingerprints over a socket and on a real Redis.
class FingerprintSourceTest {
  private static final Vertx VERTX = Vertx.vertx();
  private static final RedisClient REDIS =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
          .await();

  /// A fingerprint that no other test has.
  private final String hash = "F" + UUID.randomUUID().toString().replace("-", "") + "0123456789";

  private final GateFixture gate = new GateFixture();
  private final SharedByScript script = new SharedByScript(REDIS);
  private final SignalKeys names = new SignalKeys(gate.keys, product -> "event:" + product);
  private final FingerprintSource source = new FingerprintSource(script, names, gate.clock);
  private final SignalServer server = new SignalServer(source, false, null, this::refused);

  @AfterAll
  static void closeRedis() {
    REDIS.close();
    VERTX.close().await();
  }

  @AfterEach
  void close() {
    server.close();
    gate.close();
  }

  private void refused(Request request, ErrorCode code) {
    assertThat(code).isEqualTo(ErrorCode.NOT_FOUND);
    var _ = source.failed(request);
  }

  private Features join(String header) {
    return server.join("Browser-Fingerprint", header);
  }

  private Features join() {
    return join("1." + hash + ".0");
  }

  private String prefix(String product) {
    return names.fingerprint(product, names.fingerprintHash(product, hash));
  }

  /// Somebody else with the same fingerprint has joined.
  private void other(int number, String account) {
    DeviceId device = new DeviceId(String.format(Locale.ROOT, "%022d", number));
    Caller caller =
        new Caller(ClientAddress.NONE, "", device, null, account.isEmpty() ? null : account);
    var _ =
        script.remember(prefix("7"), DeviceKeys.member(names, caller), Duration.ofHours(1)).await();
  }

  @Test
  void aFingerprintThatNobodySharesSaysNothing() {
    assertThat(SignalServer.set(join())).containsExactly("fingerprint_present");
    assertThat(value(join("1." + hash + ".1"), "webdriver")).isEqualTo(true);
  }

  @Test
  void withoutAFingerprintThereIsNoFeature() {
    assertThat(SignalServer.set(server.join())).isEmpty();
    for (String bad : new String[] {"", "1.short.0", "2." + hash + ".0", "1." + hash + ".2"}) {
      assertThat(SignalServer.set(join(bad))).as(bad).isEmpty();
    }
  }

  @Test
  void theAccountsOfAFingerprintAreCountedAndWeighLessTheMorePeopleShareIt() {
    for (int i = 0; i < 6; i++) {
      other(i, "acc_" + i);
    }
    Features few = join();
    assertThat(value(few, "fingerprint_shared_by")).isEqualTo(6L);
    assertThat(value(few, "fingerprint_accounts")).isEqualTo(6L);
    for (int i = 6; i < 40; i++) {
      other(i, "");
    }
    Features many = join();
    assertThat(value(many, "fingerprint_shared_by")).isEqualTo(40L);
    assertThat(value(many, "fingerprint_accounts")).isEqualTo(3L);
    for (int i = 40; i < 80; i++) {
      other(i, "acc_" + i);
    }
    Features popular = join();
    assertThat(value(popular, "fingerprint_shared_by")).isEqualTo(64L);
    assertThat(value(popular, "fingerprint_accounts")).isEqualTo(0L);
  }

  @Test
  void onlyAKeyedHashPerSaleIsStoredAndItExpires() {
    other(1, "acc_secret");
    assertThat(prefix("7")).startsWith("event:7:fp:").doesNotContain(hash);
    assertThat(prefix("8").substring("event:8".length()))
        .isNotEqualTo(prefix("7").substring("event:7".length()));
    assertThat(REDIS.send("SMEMBERS", prefix("7") + ":accounts").await().texts())
        .singleElement()
        .satisfies(member -> assertThat(member).hasSize(10).doesNotContain("secret"));
    assertThat(REDIS.send("PTTL", prefix("7") + ":accounts").await().number()).isPositive();
  }

  @Test
  void askingForFeaturesStoresNothing() {
    Features _ = join();
    assertThat(REDIS.send("EXISTS", prefix("7") + ":browsers").await().number()).isZero();
  }

  @Test
  void failedRequestsOfAFingerprintAreCounted() {
    for (int i = 0; i < 3; i++) {
      assertThat(
              server
                  .send(
                      "/refuse?code=NOT_FOUND",
                      "{\"product_id\": \"7\"}",
                      "Browser-Fingerprint",
                      "1." + hash + ".0")
                  .statusCode())
          .isEqualTo(404);
    }
    assertThat(value(join(), "fingerprint_failures")).isEqualTo(3L);
    gate.clock.advance(Duration.ofMinutes(30));
    assertThat(value(join(), "fingerprint_failures")).isEqualTo(0L);
  }
}
