package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.challenge.HashingPool;
import fairgate.gate.risk.Features;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The guard and the source of device keys, over a socket and on a real Redis.
class DeviceKeyGuardTest {
  private static final String SESSION = "3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11";
  private static final ProductId SEVEN = GateFixture.SEVEN;
  private static final Vertx VERTX = Vertx.vertx();
  private static final RedisClient REDIS =
      RedisClient.connect(
              VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
          .await();

  private final GateFixture gate = new GateFixture();
  private final Metrics metrics = new Metrics();
  private final StoredKeys places = new StoredKeys();
  private final AtomicBoolean required = new AtomicBoolean();
  private final HashingPool pool = new HashingPool(gate.vertx, "proof");
  private final DeviceKeys keys =
      new DeviceKeys(
          new SharedByScript(REDIS),
          new SignalKeys(gate.keys, product -> "event:" + product),
          places,
          gate.clock,
          pool,
          metrics);
  private final DeviceKeySource source = new DeviceKeySource(keys, gate.clock);
  private final SignalServer server =
      new SignalServer(
          (request, features) ->
              source
                  .contribute(request, features)
                  .compose(_ -> joined(request.http(), request.route().word())),
          false,
          new DeviceKeyGuard(null, keys, product -> required.get() && product.equals(SEVEN)),
          (_, _) -> {});
  private final TestKey key = new TestKey();
  private final long now = gate.clock.millis();

  @AfterAll
  static void closeRedis() {
    REDIS.close();
    VERTX.close().await();
  }

  @AfterEach
  void close() {
    server.close();
    pool.close();
    gate.close();
  }

  private Future<Void> joined(@Nullable Request request, String route) {
    return request != null && route.equals("join")
        ? keys.joined(request, SEVEN, new SessionId(SESSION))
        : Future.succeededFuture();
  }

  private static String body(String token) {
    return "{\"product_id\": \"7\", \"turnstile_token\": \"" + token + "\"}";
  }

  private Features join(TestKey with, String... headers) {
    String[] all = new String[headers.length + 2];
    System.arraycopy(headers, 0, all, 2, headers.length);
    all[0] = "DPoP";
    all[1] = with.join("token", now);
    return server.features(DeviceKeys.JOIN, body("token"), all);
  }

  private Features purchase(String proof) {
    return server.features(DeviceKeys.PURCHASE, body(""), "DPoP", proof, "X-Session-Id", SESSION);
  }

  @Test
  void aKeyIsStoredWithThePlaceAndAPurchaseWithItChangesNothing() {
    assertThat(SignalServer.set(join(key)))
        .containsExactlyInAnyOrder("device_key_present", "accounts_of_device_key");
    assertThat(places.byPlace).containsOnlyKeys("7 " + SESSION);
    assertThat(SignalServer.set(purchase(key.purchase(SESSION, now))))
        .containsExactlyInAnyOrder("device_key_present", "accounts_of_device_key");
    assertThat(metrics.scrape()).contains("fairgate_device_proofs_total{result=\"valid\"} 2.0");
  }

  @Test
  void aPurchaseWithAnotherKeyIsASignal() {
    Features _ = join(key);
    Features features = purchase(new TestKey().purchase(SESSION, now));
    assertThat(value(features, "device_key_changed")).isEqualTo(true);
  }

  @Test
  void aPurchaseWithoutTheKeyOfThePlaceIsASignal() {
    Features _ = join(key);
    Features bare = server.features(DeviceKeys.PURCHASE, body(""), "X-Session-Id", SESSION);
    assertThat(SignalServer.set(bare)).containsExactly("device_key_changed");
    assertThat(SignalServer.set(purchase("forged")))
        .containsExactlyInAnyOrder("device_key_changed", "device_key_invalid");
  }

  @Test
  void aPlaceThatWasTakenWithoutAKeyNeedsNoneForThePurchase() {
    Features _ = server.join();
    assertThat(
            SignalServer.set(
                server.features(DeviceKeys.PURCHASE, body(""), "X-Session-Id", SESSION)))
        .isEmpty();
  }

  @Test
  void anOldBrowserGoesOn() {
    assertThat(SignalServer.set(server.join())).isEmpty();
    assertThat(places.byPlace).isEmpty();
  }

  @Test
  void aProofForAnotherChallengeIsInvalidAndStillNoRefusal() {
    Features features =
        server.features(DeviceKeys.JOIN, body("other"), "DPoP", key.join("token", now));
    assertThat(SignalServer.set(features)).containsExactly("device_key_invalid");
    assertThat(places.byPlace).isEmpty();
  }

  @Test
  void aBrowserWithANewKeyHasChangedIt() {
    HttpResponse<String> first =
        server.send(DeviceKeys.JOIN, body("token"), "DPoP", key.join("token", now));
    assertThat(first.statusCode()).isEqualTo(200);
    Features same = judge(key, "acc_a");
    assertThat(value(same, "device_key_changed")).isEqualTo(false);
    assertThat(value(judge(new TestKey(), "acc_a"), "device_key_changed")).isEqualTo(true);
  }

  /// The features of the next join of one browser and account, whose place is then stored.
  private Features judge(TestKey with, String account) {
    Judge judge = new Judge();
    Caller caller = new Caller(ClientAddress.NONE, "", Judge.BROWSER, null, account);
    DeviceProof.Result proof =
        DeviceProof.verify(
            with.join("token", now),
            new DeviceProof.Expected("POST", DeviceKeys.JOIN, Map.of()),
            now);
    return judge.features(source.ofProof(proof), caller);
  }

  @Test
  void theAccountsOfAKeyAreCounted() {
    String hash = keys.hash(new DeviceProof.Result.Valid("a key of this test")).orElseThrow();
    SharedByScript script = new SharedByScript(REDIS);
    SignalKeys names = new SignalKeys(gate.keys, product -> "event:" + product);
    for (String account : new String[] {"acc_a", "acc_b", "acc_c"}) {
      Caller caller = new Caller(ClientAddress.NONE, "", Judge.BROWSER, null, account);
      var _ =
          script
              .remember(
                  names.deviceKey(hash), DeviceKeys.member(names, caller), Duration.ofHours(1))
              .await();
    }
    Caller guest = new Caller(ClientAddress.NONE, "", Judge.BROWSER, null, null);
    assertThat(keys.owners(hash, guest).await()).isEqualTo(3);
    Caller fourth = new Caller(ClientAddress.NONE, "", Judge.BROWSER, null, "acc_d");
    assertThat(keys.owners(hash, fourth).await()).isEqualTo(4);
  }

  @Test
  void aSaleThatRequiresAKeyRefusesJoinsWithoutAValidProof() {
    required.set(true);
    HttpResponse<String> bare = server.send(DeviceKeys.JOIN, body("token"));
    assertThat(bare.statusCode()).isEqualTo(403);
    assertThat(bare.body()).contains("DEVICE_KEY_REQUIRED", "\"device_key\":\"missing\"");
    assertThat(server.send(DeviceKeys.JOIN, body("x"), "DPoP", key.join("token", now)).body())
        .contains("\"device_key\":\"invalid\"");
    assertThat(server.send("/p/7/join", "{}").statusCode()).isEqualTo(403);
    assertThat(server.send("/p/8/join", "{}").statusCode()).isEqualTo(200);
    assertThat(server.send(DeviceKeys.JOIN, body("token").replace("\"7\"", "\"8\"")).statusCode())
        .isEqualTo(200);
    assertThat(SignalServer.set(join(key))).contains("device_key_present");
  }

  @Test
  void aSaleThatRequiresAKeyRefusesAPurchaseWithAnotherKeyThanTheJoins() {
    required.set(true);
    Features _ = join(key);
    String[] session = {"X-Session-Id", SESSION};
    assertThat(server.send(DeviceKeys.PURCHASE, body(""), session).body())
        .contains("\"device_key\":\"missing\"");
    HttpResponse<String> other =
        server.send(
            DeviceKeys.PURCHASE,
            body(""),
            "X-Session-Id",
            SESSION,
            "DPoP",
            new TestKey().purchase(SESSION, now));
    assertThat(other.statusCode()).isEqualTo(403);
    assertThat(other.body()).contains("\"device_key\":\"changed\"");
    assertThat(SignalServer.set(purchase(key.purchase(SESSION, now))))
        .contains("device_key_present");
  }

  @Test
  void bodiesThatAreNoJsonAreLeftToTheRoute() {
    required.set(true);
    assertThat(server.send(DeviceKeys.JOIN, "no json").statusCode()).isEqualTo(200);
    assertThat(server.send(DeviceKeys.JOIN, "{\"product_id\": 7}").statusCode()).isEqualTo(200);
  }
}
