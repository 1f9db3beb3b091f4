package fairgate.app.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/// A browser without JavaScript: it keeps cookies, and asks again while the server is too busy.
final class PlainBrowser {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestFairgate server;
  private final String[] always;
  private final Map<String, String> cookies = new HashMap<>();

  /// @param always headers of all requests: names and values
  PlainBrowser(TestFairgate server, String... always) {
    this.server = server;
    this.always = always.clone();
  }

  HttpResponse<String> call(String method, String path, String body, String... more) {
    String[] headers = new String[more.length + always.length + 4];
    headers[0] = "Cookie";
    headers[1] = cookies();
    headers[2] = "Sec-Fetch-Site";
    headers[3] = "same-origin";
    System.arraycopy(more, 0, headers, 4, more.length);
    System.arraycopy(always, 0, headers, 4 + more.length, always.length);
    HttpResponse<String> reply = server.callUntilAccepted(method, path, body, headers);
    for (String set : reply.headers().allValues("set-cookie")) {
      String[] pair = set.split(";", 2)[0].split("=", 2);
      cookies.put(pair[0], pair[1]);
    }
    return reply;
  }

  /// Opens a page in English.
  HttpResponse<String> page(String path) {
    return call("GET", path, "", "Accept", "text/html", "Accept-Language", "en");
  }

  /// Sends a form of a page in English.
  HttpResponse<String> form(String path, String body) {
    return call(
        "POST",
        path,
        body,
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Accept-Language",
        "en");
  }

  /// Joins the line of a sale.
  void join(String product) {
    HttpResponse<String> joined =
        call(
            "POST",
            "/api/queue/join",
            "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}"
                .formatted(product));
    assertThat(joined.body()).contains("session_id");
  }

  /// Waits for the turn and buys. Returns the reply.
  JsonNode buy(String product, int quantity) {
    Eventually.await(
        "the turn of the buyer",
        () -> call("GET", "/api/queue/status", "").body().contains("ready_to_purchase"));
    HttpResponse<String> bought =
        call(
            "POST",
            "/api/purchase",
            "{\"product_id\":\"%s\",\"quantity\":%d}".formatted(product, quantity),
            "Idempotency-Key",
            UUID.randomUUID().toString());
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    return json(bought);
  }

  static JsonNode json(HttpResponse<String> reply) {
    return json(reply.body());
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }

  /// Loses the cookies whose names contain the word.
  void forget(String word) {
    cookies.keySet().removeIf(name -> name.contains(word));
  }

  /// The header `Cookie`.
  String cookies() {
    return cookies.entrySet().stream()
        .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
        .collect(Collectors.joining("; "));
  }
}
