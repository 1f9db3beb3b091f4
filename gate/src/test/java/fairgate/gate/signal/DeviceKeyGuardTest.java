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
import fairgate.testkit.Eventually;
import fairgate.testkit.SlowProxy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The guard and the source of device keys, over a socket and on a real Redis.
@Tag("slow")
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
  private final StoredPlaces places = new StoredPlaces();
  private final AtomicBoolean required = new AtomicBoolean();
  private final AtomicBoolean exempt = new AtomicBoolean();
  private final HashingPool pool = new HashingPool(gate.vertx, "proof");
  private final DeviceKeys keys =
      new DeviceKeys(
          REDIS,
          new SignalKeys(gate.keys, product -> "event:" + product),
          places,
          gate.clock,
          pool,
          metrics);
  private final DeviceKeySource source = new DeviceKeySource(keys, gate.clock);
  private final PlaceSource placeSource = new PlaceSource(keys);
  private final SignalServer server =
      new SignalServer(
          (request, features) ->
              source
                  .contribute(request, features)
                  .compose(_ -> placeSource.contribute(request, features))
                  .compose(_ -> joined(request.http(), request.route().word())),
          false,
          new DeviceKeyGuard(
              null, keys, product -> required.get() && product.equals(SEVEN), _ -> exempt.get()),
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
  void aPurchaseTellsTheTimeInItsPlaceAndSinceItsTurn() {
    places.sinceJoin = Duration.ofSeconds(150).toMillis();
    places.sinceTurn = 0;
    Features features = server.features(DeviceKeys.PURCHASE, body(""), "X-Session-Id", SESSION);
    assertThat(SignalServer.set(features))
        .containsExactlyInAnyOrder("minutes_in_place", "purchase_after_ready_ms");
    assertThat(value(features, "minutes_in_place")).isEqualTo(2L);
    assertThat(value(features, "purchase_after_ready_ms")).isEqualTo(1L);
    places.sinceTurn = -1;
    Features early = server.features(DeviceKeys.PURCHASE, body(""), "X-Session-Id", SESSION);
    assertThat(SignalServer.set(early)).containsExactly("minutes_in_place");
    assertThat(SignalServer.set(server.join("X-Session-Id", SESSION))).isEmpty();
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
    String hash =
        keys.hash(new DeviceProof.Result.Valid("a key of this test", "id", 0)).orElseThrow();
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
    for (String form : new String[] {"join", "buy"}) {
      assertThat(server.send("/p/7/" + form, "{}").statusCode()).as(form).isEqualTo(403);
      assertThat(server.send("/p/8/" + form, "{}").statusCode()).as(form).isEqualTo(200);
    }
    assertThat(server.send(DeviceKeys.JOIN, body("token").replace("\"7\"", "\"8\"")).statusCode())
        .isEqualTo(200);
    assertThat(SignalServer.set(join(key))).contains("device_key_present");
  }

  @Test
  void aPersonWhoseAppealWasGrantedNeedsNoKey() {
    required.set(true);
    exempt.set(true);
    assertThat(server.send(DeviceKeys.JOIN, body("token")).statusCode()).isEqualTo(200);
    assertThat(server.send(DeviceKeys.PURCHASE, body(""), "X-Session-Id", SESSION).statusCode())
        .isEqualTo(200);
    assertThat(server.send("/p/7/join", "{}").statusCode()).isEqualTo(200);
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
  void aProofOfAJoinCountsOnceAlsoWhenItIsSentManyTimesAtOnce() {
    String proof = key.join("", now);
    List<String> bodies = new CopyOnWriteArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 8; i++) {
        threads.execute(
            () -> bodies.add(server.send(DeviceKeys.JOIN, body(""), "DPoP", proof).body()));
      }
    }
    assertThat(bodies).containsOnly("in").hasSize(8);
    assertThat(metrics.scrape())
        .contains("fairgate_device_proofs_total{result=\"valid\"} 1.0")
        .contains("fairgate_device_proofs_total{result=\"used\"} 7.0");
    Features again = server.features(DeviceKeys.JOIN, body(""), "DPoP", proof);
    assertThat(SignalServer.set(again)).containsExactly("device_key_invalid");
    required.set(true);
    HttpResponse<String> refused = server.send(DeviceKeys.JOIN, body(""), "DPoP", proof);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("\"device_key\":\"used\"");
  }

  @Test
  void aUsedProofIsRememberedForItsLifeOnly() {
    DeviceProof.Result.Valid proof = proofOf(key.join("", now));
    Features _ = server.features(DeviceKeys.JOIN, body(""), "DPoP", key.join("", now));
    String hash = keys.hash(proof).orElseThrow();
    List<String> stored = REDIS.send("KEYS", "device_key:{" + hash + "}:proof:*").await().texts();
    assertThat(stored).hasSize(1);
    assertThat(REDIS.send("PTTL", stored.getFirst()).await().number()).isBetween(1L, 182_000L);
  }

  private DeviceProof.Result.Valid proofOf(String proof) {
    DeviceProof.Expected join = new DeviceProof.Expected("POST", DeviceKeys.JOIN, Map.of());
    return (DeviceProof.Result.Valid) DeviceProof.verify(proof, join, now);
  }

  @Test
  void aPurchaseMayRepeatItsProofWithItsIdempotencyKeyAndOnlyThen() {
    Features _ = join(key);
    String claims = ",\"product_id\":\"7\",\"session_id\":\"" + SESSION + "\"";
    String keyed = key.proof(DeviceKeys.PURCHASE, now, claims + ",\"idempotency_key\":\"buy-1\"");
    for (int i = 0; i < 2; i++) {
      Features features =
          server.features(
              DeviceKeys.PURCHASE,
              body(""),
              "DPoP",
              keyed,
              "X-Session-Id",
              SESSION,
              "Idempotency-Key",
              "buy-1");
      assertThat(value(features, "device_key_present")).isEqualTo(true);
    }
    String bare = key.purchase(SESSION, now);
    assertThat(value(purchase(bare), "device_key_present")).isEqualTo(true);
    assertThat(SignalServer.set(purchase(bare)))
        .containsExactlyInAnyOrder("device_key_changed", "device_key_invalid");
  }

  @Test
  void withoutRedisAProofIsUncheckedAndOnlyASaleThatRequiresItWaits() {
    Path socket = Path.of(TestEngines.shared().redisUri().substring("unix://".length()));
    try (SlowProxy proxy = new SlowProxy(socket);
        RedisClient away =
            RedisClient.connect(
                    VERTX,
                    new RedisSettings("redis://127.0.0.1:" + proxy.port(), Duration.ofSeconds(3)))
                .await()) {
      proxy.swallow();
      goesOnUnlessRequired(
          new DeviceKeys(
              away,
              new SignalKeys(gate.keys, product -> "event:" + product),
              places,
              gate.clock,
              pool,
              metrics));
    }
  }

  @Test
  void aFullPoolLeavesProofsUncheckedAndOnlyASaleThatRequiresThemAnswers503() {
    CountDownLatch ends = new CountDownLatch(1);
    try {
      boolean full = false;
      while (!full) {
        Future<Boolean> work = pool.run(() -> await(ends), false);
        full = work.isComplete();
      }
      goesOnUnlessRequired(keys);
    } finally {
      ends.countDown();
    }
    required.set(true);
    Eventually.await(
        "proofs are checked again",
        () ->
            server.send(DeviceKeys.JOIN, body("token"), "DPoP", key.join("token", now)).statusCode()
                == 200);
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void goesOnUnlessRequired(DeviceKeys checked) {
    DeviceKeySource features = new DeviceKeySource(checked, gate.clock);
    DeviceKeyGuard guard =
        new DeviceKeyGuard(
            null, checked, product -> required.get() && product.equals(SEVEN), _ -> false);
    try (SignalServer other = new SignalServer(features, false, guard, (_, _) -> {})) {
      Features seen =
          other.features(DeviceKeys.JOIN, body("token"), "DPoP", key.join("token", now));
      assertThat(SignalServer.set(seen)).isEmpty();
      assertThat(metrics.scrape())
          .contains("fairgate_device_proofs_total{result=\"unchecked\"} 1.0");
      required.set(true);
      HttpResponse<String> busy =
          other.send(DeviceKeys.JOIN, body("token"), "DPoP", key.join("token", now));
      assertThat(busy.statusCode()).isEqualTo(503);
      assertThat(busy.headers().firstValue("Retry-After")).isPresent();
      assertThat(busy.body()).contains("SERVICE_UNAVAILABLE");
    }
  }

  @Test
  void bodiesThatAreNoJsonAreLeftToTheRoute() {
    required.set(true);
    assertThat(server.send(DeviceKeys.JOIN, "no json").statusCode()).isEqualTo(200);
    assertThat(server.send(DeviceKeys.JOIN, "{\"product_id\": 7}").statusCode()).isEqualTo(200);
  }
}
