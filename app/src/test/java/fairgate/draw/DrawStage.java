package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/// Two nodes with the sale of product 7, which has a draw, and a beacon of their own.
final class DrawStage implements AutoCloseable {
  static final String DRAW = "/api/draws/tour";
  static final String LOG_NAME = "shop.example/fairgate";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ENTER = "{\"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\"}";

  final FakeDrand drand;
  final PostgresAddress database;
  final TestFairgate one;
  final TestFairgate other;

  private final DatabaseTime time;

  private DrawStage(FakeDrand drand, PostgresAddress database, DatabaseTime time, Path folder)
      throws IOException {
    this.drand = drand;
    this.database = database;
    this.time = time;
    Map<String, String> settings = TestBeacon.settings(drand, folder);
    settings.put("draws.log_name", LOG_NAME);
    one = TestFairgate.start(TestEngines.shared(), database, settings);
    other = TestFairgate.start(TestEngines.shared(), database, settings);
  }

  /// @param folder for files of the nodes
  static DrawStage open(Path folder, int units) throws IOException {
    TestEngines.shared().flushRedis();
    PostgresAddress database = TestEngines.shared().freshDatabase();
    DatabaseTime time = DatabaseTime.of(database);
    FakeDrand drand = TestBeacon.start(time);
    DrawStage stage = new DrawStage(drand, database, time, folder);
    stage.one.createProduct("7", units, "{\"pre_queue\": \"draw\"}");
    stage.one.openSale("7");
    return stage;
  }

  /// Announces a draw that is open for five minutes, and waits until all nodes have opened it.
  void open() {
    announce();
    skipTo("opens_at");
    awaitState(one, "open");
    awaitState(other, "open");
  }

  /// Announces a draw that opens in a minute.
  void announce() {
    Instant now = time.instant().truncatedTo(ChronoUnit.SECONDS);
    one.admin(
        "POST",
        "/draws",
        """
        {"id": "tour", "product_id": "7", "opens_at": "%s", "closes_at": "%s",
         "seal_margin_seconds": 10, "holdbacks": {"artist": 1}}
        """
            .formatted(now.plusSeconds(60), now.plusSeconds(360)));
  }

  /// Lets the draw end its window and waits until it has its order.
  void draw() {
    skipTo("closes_at");
    awaitState(one, "sealed");
    skipTo("draws_at");
    awaitState(one, "allocating");
  }

  void skipTo(String moment) {
    time.skipTo(Instant.parse(read(one, DRAW).path(moment).asText()));
  }

  static JsonNode json(HttpResponse<String> response) {
    try {
      return JSON.readTree(response.body());
    } catch (IOException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  static JsonNode read(TestFairgate node, String path, String... headers) {
    HttpResponse<String> response = node.callUntilAccepted("GET", path, "", headers);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response);
  }

  void awaitState(TestFairgate node, String state) {
    Eventually.await(
        "the draw is " + state,
        () ->
            node.call("GET", DRAW, "").statusCode() == 200
                && read(node, DRAW).path("state").asText().equals(state));
  }

  /// Enters with a browser that nobody has seen before.
  static HttpResponse<String> enter(TestFairgate node) {
    return node.callUntilAccepted("POST", DRAW + "/entries", ENTER);
  }

  /// Buys one unit; a repeat buys no other one.
  HttpResponse<String> buy(String session) {
    return one.call(
        "POST",
        "/api/purchase",
        "{\"product_id\": \"7\", \"quantity\": 1}",
        "X-Session-Id",
        session,
        "Idempotency-Key",
        "key-" + session);
  }

  @Override
  public void close() {
    one.close();
    other.close();
    drand.close();
  }
}
