package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Changes of products and sales by operators over HTTP.
class ProductAdminIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PAID =
      """
      {"id": "%s", "name": "Ticket", "image_url": "/t.png", "price": 500, "currency": "USD",
       "total_stock": 7, "duration_days": 30,
       "policy": {"preset": "flash", "active_capacity": 50, "max_quantity": 1, "opens_at": %s}}
      """;
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void openPaidSale(String id) {
    server.admin("POST", "/products", PAID.formatted(id, "null"));
    server.openSale(id);
  }

  private static HttpResponse<String> send(
      String method, String path, String body, String... more) {
    String[] headers = new String[more.length + 2];
    headers[0] = "Authorization";
    headers[1] = "Bearer " + TestFairgate.OPERATOR;
    System.arraycopy(more, 0, headers, 2, more.length);
    return server.callUntilAccepted(method, "/api/admin/products/" + path, body, headers);
  }

  private static JsonNode granted(String method, String path, String body) {
    HttpResponse<String> answer = send(method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json(answer);
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new IllegalStateException(answer.body(), e);
    }
  }

  @Test
  void listsOfProductsAndTheDocumentationAreCompressed() {
    // Short replies are not.
    for (int id = 4_801; id <= 4_805; id++) {
      server.createProduct(Integer.toString(id), 1, "{\"preset\": \"queue\"}");
    }
    for (String path : List.of("/api/products", "/api/admin/products", "/docs", "/openapi.yaml")) {
      var reply =
          server.call(
              "GET",
              path,
              "",
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR,
              "Accept-Encoding",
              "gzip");
      assertThat(reply.headers().firstValue("content-encoding")).as(path).contains("gzip");
    }
  }

  @Test
  void aPictureIsAnAddressOrAPathOfThisServer() {
    for (String url :
        List.of(
            "javascript:alert(1)",
            "data:text/html,x",
            "//evil.example/x.png",
            "x.png",
            "http:",
            "http://img.example/x.png")) {
      String body =
          "{\"id\":\"4711\",\"name\":\"x\",\"price\":1,\"total_stock\":1,\"image_url\":\""
              + url
              + "\"}";
      var refused =
          server.call(
              "POST",
              "/api/admin/products",
              body,
              "Authorization",
              "Bearer " + TestFairgate.OPERATOR);
      assertThat(refused.statusCode()).as(url).isEqualTo(400);
      assertThat(refused.body()).contains("image_url");
    }
  }

  @Test
  void aSaleThatItsClockOpensOrClosesHasThatStateInAllAnswers() {
    server.admin("POST", "/products", PAID.formatted("38", "\"2020-01-01T00:00:00Z\""));
    for (String state : List.of("open", "closed")) {
      assertThat(granted("GET", "38", "").path("state").asText()).isEqualTo(state);
      assertThat(granted("GET", "38/live", "").path("state").asText()).isEqualTo(state);
      assertThat(granted("GET", "38/report", "").path("state").asText()).isEqualTo(state);
      assertThat(server.admin("GET", "/products", ""))
          .containsPattern("\"id\":\"38\"[^{]*\"state\":\"" + state);
      assertThat(
              granted("PATCH", "38", "{\"policy\": {\"closes_at\": \"2020-01-02T00:00:00Z\"}}")
                  .path("state")
                  .asText())
          .isEqualTo("closed");
    }
  }

  @Test
  void batchesAtRandomAreDrawnOnceAndToldToBuyers() {
    String sale =
        """
        {"id": "49", "name": "Ticket", "price": 500, "currency": "USD", "total_stock": 1000,
         "policy": {"preset": "flash", "opens_at": "2090-01-01T12:00:00Z",
          "batches": {"count": %d, "gap_ms": %s}}}
        """;
    JsonNode drawn = JSON.createArrayNode();
    for (String method : List.of("POST", "PUT", "PUT")) {
      String path = method.equals("POST") ? "" : "/49";
      JsonNode answer =
          json(call(method, path, sale.formatted(4, "[3000, 5000]")))
              .path("policy")
              .path("batches");
      assertThat(answer).hasSize(4);
      assertThat(answer.findValues("quantity")).allMatch(units -> units.asInt() == 250);
      assertThat(answer.path(0).path("at").asText()).isEqualTo("2090-01-01T12:00:00Z");
      assertThat(drawn.isEmpty() || drawn.equals(answer)).isTrue();
      drawn = answer;
    }
    assertThat(server.call("GET", "/api/products/49", "").body()).contains("\"batches\":4");
    assertThat(server.call("GET", "/p/49", "", "Accept-Language", "en").body())
        .contains("They come in 4 batches");
    for (String gap : List.of("[5000, 3000]", "[10, 20]", "[3000]", "3000")) {
      assertThat(call("PUT", "/49", sale.formatted(4, gap)).body())
          .contains("policy.batches.gap_ms", "INVALID_REQUEST");
    }
    assertThat(call("PUT", "/49", sale.formatted(1_001, "[3000, 5000]")).body())
        .contains("policy.batches.count");
  }

  private static HttpResponse<String> call(String method, String path, String body) {
    return server.call(
        method,
        "/api/admin/products" + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR);
  }

  @Test
  void aReplacedProductKeepsOmittedFields() {
    openPaidSale("31");
    JsonNode now = granted("PUT", "31", "{\"name\": \"Seat\", \"price\": 500, \"total_stock\": 7}");
    assertThat(now.path("name").asText()).isEqualTo("Seat");
    assertThat(now.path("currency").asText()).isEqualTo("USD");
    assertThat(now.path("image_url").asText()).isEqualTo("/t.png");
    assertThat(now.path("duration_days").asInt()).isEqualTo(30);
    assertThat(now.path("policy").path("payment").asText()).isEqualTo("required");
    assertThat(now.path("policy_version").asInt()).isEqualTo(1);
  }

  @Test
  void moneyOfARunningSaleChangesOnlyWhenItIsConfirmed() {
    openPaidSale("32");
    String free =
        """
        {"name": "Ticket", "price": 400, "currency": "EUR", "total_stock": 7,
         "policy": {"preset": "queue"}%s}
        """;
    JsonNode before = granted("GET", "32", "");
    HttpResponse<String> refused = send("PUT", "32", free.formatted(""), "Accept-Language", "en");
    assertThat(refused.statusCode()).isEqualTo(409);
    JsonNode why = json(refused);
    assertThat(why.path("error").asText()).isEqualTo("CONFIRMATION_REQUIRED");
    assertThat(why.path("message").asText()).contains("changes", "confirm");
    assertThat(why.path("changes").toString())
        .isEqualTo(
            "{\"currency\":{\"from\":\"USD\",\"to\":\"EUR\"},"
                + "\"payment\":{\"from\":\"required\",\"to\":\"none\"},"
                + "\"preset\":{\"from\":\"flash\",\"to\":\"queue\"},"
                + "\"price\":{\"from\":\"500\",\"to\":\"400\"}}");
    assertThat(granted("GET", "32", "")).isEqualTo(before);

    HttpResponse<String> half = send("PUT", "32", free.formatted(", \"confirm\": [\"price\"]"));
    assertThat(half.statusCode()).isEqualTo(409);
    assertThat(json(half).path("changes").has("price")).isFalse();
    var _ = granted("POST", "32/pause", "");
    assertThat(send("PUT", "32", free.formatted("")).statusCode()).as("paused").isEqualTo(409);
    JsonNode now =
        granted(
            "PUT",
            "32",
            free.formatted(", \"confirm\": [\"price\", \"currency\", \"payment\", \"preset\"]"));
    assertThat(now.path("price").asInt()).isEqualTo(400);
    assertThat(now.path("policy").path("payment").asText()).isEqualTo("none");
  }

  @Test
  void aPatchChangesOnlyItsFields() {
    openPaidSale("33");
    JsonNode now =
        granted("PATCH", "33", "{\"name\": \"Seat\", \"policy\": {\"active_capacity\": 20}}");
    assertThat(now.path("name").asText()).isEqualTo("Seat");
    assertThat(now.path("price").asInt()).isEqualTo(500);
    assertThat(now.path("policy").path("active_capacity").asInt()).isEqualTo(20);
    assertThat(now.path("policy").path("ready_slots").asInt()).isEqualTo(20);
    assertThat(now.path("policy").path("max_quantity").asInt()).isEqualTo(1);
    assertThat(now.path("policy").path("payment").asText()).isEqualTo("required");
    assertThat(send("PATCH", "33", "{\"price\": 1}").statusCode()).isEqualTo(409);
    JsonNode cheap = granted("PATCH", "33", "{\"price\": 1, \"confirm\": [\"price\"]}");
    assertThat(cheap.path("price").asInt()).isEqualTo(1);
    JsonNode noEnd = granted("PATCH", "33", "{\"duration_days\": null}");
    assertThat(noEnd.has("duration_days")).isFalse();
  }

  @Test
  void aSaleThatNeedsAPaymentHasAPrice() {
    openPaidSale("39");
    String free =
        "{\"name\": \"Seat\", \"price\": 0, \"total_stock\": 7, \"confirm\": [\"price\"]}";
    for (HttpResponse<String> refused :
        List.of(
            send("PUT", "39", free, "Accept-Language", "en"),
            send("PATCH", "39", "{\"price\": 0}", "Accept-Language", "en"),
            server.call(
                "POST",
                "/api/admin/products",
                PAID.formatted("3999", "null").replace("500", "0"),
                "Authorization",
                "Bearer " + TestFairgate.OPERATOR,
                "Accept-Language",
                "en"))) {
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
      assertThat(json(refused).path("message").asText())
          .contains("price must be above 0", "policy.payment to none");
    }
    assertThat(send("GET", "3999", "").statusCode()).isEqualTo(404);
    assertThat(granted("GET", "39", "").path("price").asInt()).isEqualTo(500);
    String gift =
        "{\"price\": 0, \"policy\": {\"payment\": \"none\"}, \"confirm\": [\"price\","
            + " \"payment\"]}";
    assertThat(granted("PATCH", "39", gift).path("price").asInt()).isZero();
    String paid = "{\"policy\": {\"payment\": \"required\"}, \"confirm\": [\"payment\"]}";
    HttpResponse<String> noPrice = send("PATCH", "39", paid);
    assertThat(noPrice.statusCode()).isEqualTo(400);
    assertThat(json(noPrice).path("field").asText()).isEqualTo("price");
  }

  @Test
  void badChangesAreRefusedAndChangeNothing() {
    openPaidSale("34");
    for (String bad :
        new String[] {
          "{\"confirm\": [\"everything\"]}",
          "{\"confirm\": true}",
          "{\"policy\": {\"no_such_field\": 1}}",
          "{\"policy\": []}",
          "{\"policy\": {\"opens_at\": \"soon\"}}",
          "{\"id\": \"35\"}",
          "{\"currency\": \"dollars\"}",
          "{\"currency\": \"NTD\"}"
        }) {
      HttpResponse<String> answer = send("PATCH", "34", bad);
      assertThat(answer.statusCode()).as(bad + answer.body()).isEqualTo(400);
    }
    HttpResponse<String> noCurrency = send("PATCH", "34", "{\"currency\": \"NTD\"}");
    assertThat(json(noCurrency).path("field").asText()).isEqualTo("currency");
    assertThat(send("PATCH", "3499", "{}").statusCode()).isEqualTo(404);
    assertThat(granted("GET", "34", "").path("version"))
        .isEqualTo(granted("PATCH", "34", "{}").path("version"));
  }

  @Test
  void aSaleThatIsNotRunningNeedsNoConfirmation() {
    server.admin("POST", "/products", PAID.formatted("36", "null"));
    assertThat(granted("PATCH", "36", "{\"price\": 1}").path("price").asInt()).isEqualTo(1);
  }

  @Test
  void pausingAndResumingASaleBeforeItsTimeDoesNotOpenIt() {
    Instant monthAhead = Instant.now().plus(Duration.ofDays(30));
    server.admin("POST", "/products", PAID.formatted("37", "\"" + monthAhead + "\""));
    for (String step : new String[] {"pause", "resume"}) {
      var _ = granted("POST", "37/" + step, "");
      assertThat(granted("GET", "37/live", "").path("released").asInt()).as(step).isZero();
    }
    assertThat(granted("GET", "37", "").path("state").asText()).isEqualTo("scheduled");
    assertThat(granted("GET", "37/live", "").path("state").asText()).isEqualTo("scheduled");
    assertThat(granted("POST", "37/open", "").path("policy").path("opens_at").isNull()).isTrue();
    assertThat(granted("GET", "37/live", "").path("released").asInt()).isEqualTo(7);
    assertThat(granted("GET", "37/live", "").path("state").asText()).isEqualTo("open");
  }
}
