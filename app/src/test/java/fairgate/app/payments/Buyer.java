package fairgate.app.payments;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A browser without JavaScript that buys: it keeps cookies and follows no redirects.
final class Buyer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern INPUT =
      Pattern.compile("<input type=\"hidden\" name=\"([^\"]*)\" value=\"([^\"]*)\">");

  private final TestFairgate server;
  private final Map<String, String> cookies = new HashMap<>();

  Buyer(TestFairgate server) {
    this.server = server;
  }

  static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }

  HttpResponse<String> call(String method, String path, String body, String... more) {
    List<String> headers = new ArrayList<>(List.of(more));
    headers.addAll(
        List.of(
            "Cookie",
            cookies.entrySet().stream()
                .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                .collect(Collectors.joining("; ")),
            "Sec-Fetch-Site",
            "same-origin",
            "Accept-Language",
            "en"));
    HttpResponse<String> reply = server.call(method, path, body, headers.toArray(String[]::new));
    for (String set : reply.headers().allValues("set-cookie")) {
      String[] pair = set.split(";", 2)[0].split("=", 2);
      cookies.put(pair[0], pair[1]);
    }
    return reply;
  }

  /// As `call`, and again while the server is too busy.
  HttpResponse<String> callUntilAccepted(String method, String path, String body, String... more) {
    return Eventually.get(
        "the server is not too busy for " + path,
        () -> call(method, path, body, more),
        reply -> reply.statusCode() != 503);
  }

  HttpResponse<String> get(String path) {
    return call("GET", path, "");
  }

  /// Reserves one unit and returns the order's id.
  String reserve(String product) {
    HttpResponse<String> _ = get("/p/" + product);
    String join =
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product);
    HttpResponse<String> joined = callUntilAccepted("POST", "/api/queue/join", join);
    assertThat(joined.body()).contains("session_id");
    Eventually.await(() -> get("/api/queue/status").body().contains("ready_to_purchase"));
    String purchase = "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product);
    HttpResponse<String> bought =
        callUntilAccepted(
            "POST", "/api/purchase", purchase, "Idempotency-Key", UUID.randomUUID().toString());
    assertThat(bought.statusCode()).as(bought.body()).isEqualTo(200);
    return json(bought.body()).path("order_id").asText();
  }

  /// Opens a deposit and returns its id.
  String deposit(String product) {
    String body = "{\"product_id\":\"%s\"}".formatted(product);
    return json(callUntilAccepted("POST", "/api/deposits", body).body())
        .path("deposit_id")
        .asText();
  }

  String depositStatus(String id) {
    return json(callUntilAccepted("GET", "/api/deposits/" + id, "").body()).path("status").asText();
  }

  JsonNode order(String id) {
    return json(callUntilAccepted("GET", "/api/orders/" + id, "").body());
  }

  String status(String id) {
    return order(id).path("status").asText();
  }

  /// The hidden fields of a page's form.
  static Map<String, String> fields(String page) {
    Map<String, String> fields = new LinkedHashMap<>();
    Matcher inputs = INPUT.matcher(page);
    while (inputs.find()) {
      fields.put(unescaped(inputs.group(1)), unescaped(inputs.group(2)));
    }
    return fields;
  }

  private static String unescaped(String text) {
    return text.replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
  }
}
