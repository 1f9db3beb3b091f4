package fairgate.app;

import fairgate.TestEngines;
import fairgate.account.AccountConfig;
import fairgate.app.Server.Running;
import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.TestDatabase;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import fairgate.testkit.TestTimes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The whole server on real engines and a free port, with the `test` challenge by default. Several
/// nodes may run on the same engines and database.
public final class TestFairgate implements AutoCloseable {
  /// The bearer token of its operator.
  public static final String OPERATOR = "operator-of-the-tests";

  private static final String MASTER =
      "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  private static final int BUSY = 503;
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final RunningServer running;

  private TestFairgate(RunningServer running) {
    this.running = running;
  }

  /// Starts a node on a fresh database of the shared engines, and empties their Redis, because
  /// another test may have left a sale with the same id.
  public static TestFairgate start() {
    TestEngines.shared().flushRedis();
    return start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
  }

  /// Starts a node.
  ///
  /// @param settings as on the command line, by their paths
  public static TestFairgate start(
      TestEngines engines, PostgresAddress database, Map<String, String> settings) {
    return start(engines.redisUri(), database, settings);
  }

  /// Starts a node on engines of another process.
  public static TestFairgate start(
      String redisUri, PostgresAddress database, Map<String, String> settings) {
    FairgateConfig config = config(settings);
    EngineAddresses addresses =
        new EngineAddresses(
            config.stores().redis().cluster()
                ? RedisSettings.cluster(redisUri, config.stores().redis().nodes())
                : RedisSettings.of(redisUri),
            TestDatabase.settings(database, 8));
    return start(config, addresses);
  }

  /// Starts a node on the engines of `redis.url` and `database.url`.
  public static TestFairgate startOnUrls(Map<String, String> settings) {
    FairgateConfig config = config(settings);
    return start(config, EngineAddresses.external(config));
  }

  private static TestFairgate start(FairgateConfig config, EngineAddresses addresses) {
    Running running =
        TestTimes.spent(TestTimes.Kind.SERVERS, () -> Wiring.start(config, addresses, parts()));
    if (running instanceof RunningServer server) {
      return new TestFairgate(server);
    }
    throw new IllegalStateException("another kind of server");
  }

  /// With Argon2id's least memory: no test of a server depends on how dear a hash is.
  private static Replaceable parts() {
    Replaceable real = Replaceable.real();
    return new Replaceable(
        real.clock(), real.ids(), new AccountConfig.Hashing(16, 1, real.hashing().threads()));
  }

  private static FairgateConfig config(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    all.put("server.port", "0");
    all.put("challenge.provider", "test");
    all.put("demo", "off");
    all.put("server.warm_up_ms", "0");
    // Off by default, because tests have thousands of buyers from one address.
    all.put("limits", "off");
    // Recorded only by default, because the clients of the tests are programs.
    all.put("risk.mode", "observe");
    all.put("operator_token", OPERATOR);
    all.put("master_secret", MASTER);
    all.putAll(settings);
    return FairgateConfig.of(ConfigReader.read(Optional.empty(), Map.of(), all));
  }

  public int port() {
    return running.port();
  }

  /// The path of a one-time link for the first owner.
  public Optional<String> firstOwnerLink() {
    return running.firstOwnerLink();
  }

  public String baseUrl() {
    return "http://127.0.0.1:" + port();
  }

  public List<Route> routes() {
    return running.routes();
  }

  /// Sends a call with a JSON body, or without a body when it is empty. Fails when there is no
  /// response within 60 seconds.
  ///
  /// @param headers name, value, name, value, ...
  public HttpResponse<String> call(String method, String path, String body, String... headers) {
    return send(baseUrl(), method, path, body, headers);
  }

  /// Reads from the port of the console and the admin API.
  public HttpResponse<String> callAdminPort(String path, String... headers) {
    return send("http://127.0.0.1:" + running.adminPort(), "GET", path, "", headers);
  }

  private static HttpResponse<String> send(
      String base, String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(CALL_TIMEOUT)
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// As `call`, and again while the server is too busy (503): one that hashes many passwords, or
  /// has many claims, asks its callers to come back.
  public HttpResponse<String> callUntilAccepted(
      String method, String path, String body, String... headers) {
    return Eventually.get(
        "the server is not too busy for " + path,
        () -> call(method, path, body, headers),
        answer -> answer.statusCode() != BUSY);
  }

  /// The response of `/metrics` for the operator.
  public HttpResponse<String> metrics() {
    return call("GET", "/metrics", "", "Authorization", "Bearer " + OPERATOR);
  }

  /// Sends an operator's call, as soon as the server is not too busy for it; fails unless it
  /// succeeds.
  public String admin(String method, String path, String body) {
    HttpResponse<String> answer =
        callUntilAccepted(method, "/api/admin" + path, body, "Authorization", "Bearer " + OPERATOR);
    if (answer.statusCode() >= 300) {
      throw new AssertionError(method + " " + path + ": " + answer.body());
    }
    return answer.body();
  }

  /// Creates a product with a number of units; the sale is not open yet.
  ///
  /// @param policy JSON object
  public void createProduct(String id, int stock, String policy) {
    String product =
        """
        {"id": "%s", "name": "Ticket", "image_url": "", "price": 100, "total_stock": %d,
         "policy": %s}
        """
            .formatted(id, stock, policy);
    admin("POST", "/products", product);
  }

  /// Opens a sale, as soon as the server is not too busy for it.
  public void openSale(String id) {
    String path = "/api/admin/products/" + id + "/open";
    HttpResponse<String> answer =
        callUntilAccepted("POST", path, "", "Authorization", "Bearer " + OPERATOR);
    if (answer.statusCode() >= 300) {
      throw new AssertionError(path + ": " + answer.body());
    }
  }

  /// Buys a unit as a guest.
  ///
  /// @param key the idempotency key
  public HttpResponse<String> buy(String session, String product, String key) {
    return call(
        "POST",
        "/api/purchase",
        "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product),
        "X-Session-Id",
        session,
        "Idempotency-Key",
        key);
  }

  /// Cancels an order that is not paid, as soon as the ledger has it.
  public void cancelOrder(String order) {
    String path = "/api/admin/orders/" + order + "/cancel";
    String reason = "{\"reason\":\"the buyer asked\"}";
    HttpResponse<String> answer =
        Eventually.get(
            "the ledger has the order",
            () -> call("POST", path, reason, "Authorization", "Bearer " + OPERATOR),
            each -> each.statusCode() != BUSY && !each.body().contains("ORDER_NOT_FOUND"));
    if (!answer.body().contains("\"cancelled\"")) {
      throw new AssertionError(path + ": " + answer.body());
    }
  }

  /// Reports that it is not ready, and serves on.
  public void leave() {
    running.leave();
  }

  @Override
  public void close() {
    running.close();
  }
}
