package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.app.TestFairgate;
import fairgate.kernel.TicketOrder;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.prove.check.DrawnRoomCheck;
import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.room.DrawnRoom.Told;
import fairgate.room.token.KeyBinding;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A waiting room whose order is drawn by public randomness, from the first visitor to the
/// verifier, and the checks of `prove` on it.
class RoomDrawIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LOG_NAME = "shop.example/fairgate";
  private static final int VISITORS = 8;
  private static final String SECRET =
      Base64.getUrlEncoder().withoutPadding().encodeToString(new byte[32]);

  @TempDir private Path folder;

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  private static JsonNode get(TestFairgate server, String path) {
    HttpResponse<String> response = server.callUntilAccepted("GET", path, "");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return json(response.body());
  }

  private static JsonNode join(TestFairgate server) {
    String hold = KeyBinding.ofSecret(new byte[32]).value();
    HttpResponse<String> joined =
        server.callUntilAccepted("POST", "/q/tour/join", "{\"hold\": \"" + hold + "\"}");
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return json(joined.body());
  }

  private static Told enter(TestFairgate server, JsonNode visitor) {
    long before = get(server, "/q/tour/head").path("cursor").asLong();
    HttpResponse<String> entered =
        server.callUntilAccepted(
            "POST",
            "/q/tour/enter",
            "{\"place\": \"%s\", \"secret\": \"%s\"}"
                .formatted(visitor.path("place").asText(), SECRET),
            "Accept",
            "application/json");
    long after = get(server, "/q/tour/head").path("cursor").asLong();
    String code =
        entered.statusCode() == 200 ? "ENTER" : json(entered.body()).path("error").asText();
    return new Told(
        visitor.path("ticket").asLong(), visitor.path("epoch").asLong(), true, code, before, after);
  }

  private static JsonNode verify(String... arguments) {
    StringWriter out = new StringWriter();
    int _ = Main.commandLine().setOut(new PrintWriter(out)).execute(arguments);
    return json(out.toString());
  }

  @Test
  void anybodyCanCheckTheOrderOfTheRoom() throws IOException, SQLException {
    TestEngines.shared().flushRedis();
    FakeDrand drand = TestBeacon.start(Clock.systemUTC());
    drand.silent(true);
    PostgresAddress database = TestEngines.shared().freshDatabase();
    Map<String, String> settings = TestBeacon.settings(drand, folder);
    settings.put("draws.log_name", LOG_NAME);
    settings.put("draws.room_seconds", "6");
    try (drand;
        TestFairgate server = TestFairgate.start(TestEngines.shared(), database, settings)) {
      List<JsonNode> visitors = opened(server);
      Eventually.await("the draw is announced", () -> get(server, "/q/tour/head").has("draw"));
      JsonNode head = get(server, "/q/tour/head");
      assertThat(head.path("phase").asText()).isEqualTo("before");
      assertThat(head.at("/draw/n").asInt()).isEqualTo(VISITORS);
      JsonNode late = join(server);
      assertThat(late.path("ticket").asInt()).isEqualTo(VISITORS);
      JsonNode record = get(server, "/q/tour/draws");
      assertThat(record.at("/draws/0/tickets").asInt()).isEqualTo(VISITORS);
      assertThat(record.at("/draws/0/draws_at").asLong()).isEqualTo(head.at("/draw/at").asLong());
      assertThat(record.at("/draws/0").has("result")).isFalse();
      assertThat(record.path("first_epoch").asLong())
          .isPositive()
          .isLessThanOrEqualTo(record.at("/draws/0/epoch").asLong());
      sendRound(server, drand, record.at("/draws/0/seal").asText());
      Eventually.await("the order is drawn", () -> get(server, "/q/tour/head").has("drawn"));
      JsonNode drawn = get(server, "/q/tour/head").path("drawn");
      JsonNode verdict =
          verify(
              "verify-draw",
              server.baseUrl() + "/q/tour",
              "--json",
              "--chain",
              drand.chainHash(),
              "--ticket",
              "3");
      assertThat(verdict.path("code").asText()).as(verdict.toString()).isEqualTo("ok");
      assertThat(verdict.path("seed")).isEqualTo(drawn.path("seed"));
      TicketOrder order = new TicketOrder(drawn.path("seed").asText(), VISITORS);
      assertThat(verdict.path("place").asLong()).isEqualTo(order.of(3));
      assertThat(server.call("GET", "/q/Tour/draws", "").statusCode()).isEqualTo(404);
      Eventually.await(
          "half of them may enter", () -> get(server, "/q/tour/head").path("cursor").asInt() == 4);
      List<Told> told = new ArrayList<>();
      visitors.forEach(visitor -> told.add(enter(server, visitor)));
      assertThat(told.stream().filter(it -> it.answer().equals("ENTER")))
          .hasSize(4)
          .allMatch(it -> order.of(it.ticket()) < 4);
      try (Connection sql = connect(database)) {
        plant(sql, get(server, "/q/tour/head"), told);
      }
    }
  }

  /// No beacon source can be reached, so somebody sends the round.
  private static void sendRound(TestFairgate server, FakeDrand drand, String seal) {
    String beacon = "beacon " + drand.chainHash() + " ";
    long round =
        seal.lines()
            .filter(line -> line.startsWith(beacon))
            .mapToLong(line -> Long.parseLong(line.substring(beacon.length())))
            .findFirst()
            .orElseThrow();
    String path = "/api/beacons/" + drand.chainHash();
    String body = "{\"round\": %d, \"signature\": \"%s\"}";
    String right = body.formatted(round, drand.signature(round));
    String upper = body.formatted(round, "AB".repeat(48));
    assertThat(server.call("POST", path, upper, "Accept-Language", "en").body())
        .contains("must be 96 hexadecimal digits in lower case");
    String other = "/api/beacons/" + "00".repeat(32);
    HttpResponse<String> unknown = server.call("POST", other, right);
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(json(unknown.body()).at("/chains/0").asText()).isEqualTo(drand.chainHash());
    HttpResponse<String> unawaited =
        server.call("POST", path, body.formatted(1, drand.signature(1)));
    assertThat(unawaited.statusCode()).isEqualTo(409);
    assertThat(json(unawaited.body()).at("/awaited/0").asLong()).isEqualTo(round);
    Eventually.await(
        "its time comes",
        () -> {
          HttpResponse<String> sent = server.call("POST", path, right, "Accept-Language", "en");
          if (sent.statusCode() == 400) {
            assertThat(sent.body()).contains("not due before");
          }
          // The round of a call that got no answer in time may be kept.
          return sent.statusCode() == 204 || sent.statusCode() == 409;
        });
    HttpResponse<String> repeat = server.call("POST", path, right);
    assertThat(json(repeat.body()).path("error").asText()).isEqualTo("DRAW_STATE_CONFLICT");
    assertThat(json(repeat.body()).path("awaited").isArray()).isTrue();
    assertThat(json(repeat.body()).path("awaited")).isEmpty();
  }

  /// A room that has opened with its visitors. Half of them can be inside.
  private static List<JsonNode> opened(TestFairgate server) {
    room(server, Instant.now().plusSeconds(3_600));
    Eventually.await(
        "the room has a head", () -> server.call("GET", "/q/tour/head", "").statusCode() == 200);
    List<JsonNode> visitors = new ArrayList<>();
    for (int i = 0; i < VISITORS; i++) {
      visitors.add(join(server));
    }
    room(server, Instant.now());
    return visitors;
  }

  private static void room(TestFairgate server, Instant opensAt) {
    String _ =
        server.admin(
            "PUT",
            "/rooms/tour",
            """
            {"hosts": ["127.0.0.1"], "mode": "on", "capacity": 4, "rate": 1000, "challenge": false,
             "return_url": "http://127.0.0.1/shop", "pre_queue": "draw", "opens_at": "%s",
             "places_per_ip": null, "places_per_network": null}
            """
                .formatted(opensAt));
  }

  private static Connection connect(PostgresAddress at) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d/%s".formatted(at.host(), at.port(), at.database()),
        at.user(),
        at.password());
  }

  private static String word(Connection sql, JsonNode head, List<Told> told) throws SQLException {
    InvariantResults results = new InvariantResults();
    new DrawnRoomCheck(sql, "tour", LOG_NAME + "/log", results).check(head, told, 5, true);
    return Objects.requireNonNull(results.verdicts().get(Invariant.I40)).word();
  }

  private static void run(Connection sql, String statement) throws SQLException {
    try (Statement one = sql.createStatement()) {
      boolean _ = one.execute(statement);
    }
  }

  /// The check of `prove` finds nothing in an honest draw, and each planted fault.
  private static void plant(Connection sql, JsonNode head, List<Told> told) throws SQLException {
    assertThat(word(sql, head, told)).isEqualTo("ok");
    assertThat(word(sql, json(head.toString().replace("\"n\":8", "\"n\":9")), told))
        .as("another number of tickets in use")
        .isEqualTo("FAILED");
    String seed = head.at("/drawn/seed").asText();
    assertThat(word(sql, json(head.toString().replace(seed, "00".repeat(32))), told))
        .as("another order in use")
        .isEqualTo("FAILED");
    List<Told> swapped =
        told.stream()
            .map(
                it ->
                    new Told(
                        it.ticket(),
                        it.epoch(),
                        it.isEarly(),
                        it.answer().equals("ENTER") ? "NOT_YOUR_TURN" : "ENTER",
                        it.before(),
                        it.after()))
            .toList();
    assertThat(word(sql, head, swapped)).as("another order of entries").isEqualTo("FAILED");
    run(sql, "ALTER TABLE room_draws DISABLE TRIGGER USER");
    run(sql, "ALTER TABLE draw_leaves DISABLE TRIGGER USER");
    run(sql, "UPDATE room_draws SET sealed_at = sealed_at + interval '10 s'");
    assertThat(word(sql, head, told)).as("sealed again after the round").isEqualTo("FAILED");
    run(sql, "UPDATE room_draws SET sealed_at = sealed_at - interval '10 s'");
    assertThat(word(sql, head, told)).isEqualTo("ok");
    String chosen = Base64.getEncoder().encodeToString(new byte[32]);
    String published = Base64.getEncoder().encodeToString(HexFormat.of().parseHex(seed));
    run(
        sql,
        "UPDATE draw_leaves SET data = convert_to(replace(convert_from(data, 'UTF8'), '%s', '%s'), 'UTF8')"
                .formatted(published, chosen)
            + " WHERE convert_from(data, 'UTF8') LIKE 'fairgate-room-result/1%'");
    assertThat(word(sql, head, told)).as("a chosen seed").isEqualTo("FAILED");
    run(
        sql,
        "UPDATE draw_leaves SET data = convert_to(replace(convert_from(data, 'UTF8'), '%s', '%s'), 'UTF8')"
                .formatted(chosen, published)
            + " WHERE convert_from(data, 'UTF8') LIKE 'fairgate-room-result/1%'");
    run(
        sql,
        """
        INSERT INTO draw_leaves (origin, index, hash, data)
        SELECT origin, index + 1000, sha256(data),
          convert_to(replace(convert_from(data, 'UTF8'), 'tickets 8', 'tickets 9'), 'UTF8')
        FROM draw_leaves WHERE convert_from(data, 'UTF8') LIKE 'fairgate-room-seal/1%'
        """);
    assertThat(word(sql, head, told)).as("a second announcement").isEqualTo("FAILED");
  }
}
