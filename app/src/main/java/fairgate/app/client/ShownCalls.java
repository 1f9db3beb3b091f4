package fairgate.app.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// The calls of one buyer, who keeps the cookies and the session. Prints calls and the interesting
/// part of their answers. Waits as a rate limit demands, at most three times per call.
final class ShownCalls {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(15);
  private static final int LONGEST_VALUE = 60;
  private static final int TIMES_TO_WAIT = 3;

  /// The fields of a response that are printed, in this order.
  private static final List<String> INTERESTING =
      List.of(
          "provider",
          "session_id",
          "queue_status",
          "people_ahead",
          "sale_status",
          "ended",
          "purchase_token",
          "order_id",
          "status",
          "quantity",
          "amount",
          "currency",
          "remaining_stock",
          "error",
          "message");

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .cookieHandler(new CookieManager())
          .build();

  private final String url;
  private final PrintWriter out;
  private String session = "";

  /// @param url of the server, without a slash at the end
  ShownCalls(String url, PrintWriter out) {
    this.url = url;
    this.out = out;
  }

  record ApiResponse(int status, JsonNode body) {
    boolean ok() {
      return status == 200;
    }

    String text(String name) {
      return body.path(name).asText("");
    }
  }

  /// Sends the session with all later calls.
  void useSession(String id) {
    session = id;
  }

  ApiResponse get(String path) {
    say("   GET " + path);
    ApiResponse answer = ask("GET", path, null, Map.of());
    say(shown(answer));
    return answer;
  }

  ApiResponse post(String path, ObjectNode body, Map<String, String> headers) {
    say("   POST " + path);
    headers.forEach((name, value) -> say("     " + name + ": " + value));
    StringJoiner members = new StringJoiner(", ", "     {", "}");
    body.properties()
        .forEach(each -> members.add(each.getKey() + ": " + cut(each.getValue().asText())));
    say(members.toString());
    ApiResponse answer = ask("POST", path, body, headers);
    say(shown(answer));
    return answer;
  }

  /// Calls, and prints nothing but the waits.
  ///
  /// @param body null for none
  ApiResponse ask(
      String method, String path, @Nullable ObjectNode body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(CALL_TIMEOUT)
            .header("accept", "application/json")
            .header("accept-language", "en")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.toString()));
    if (body != null) {
      request.header("content-type", "application/json");
    }
    if (!session.isEmpty()) {
      request.header("X-Session-Id", session);
    }
    headers.forEach(request::header);
    HttpRequest ready = request.build();
    HttpResponse<byte[]> response = send(ready);
    for (int i = 0; i < TIMES_TO_WAIT && toWait(response) > 0; i++) {
      say("     429  too often; as told, waiting " + toWait(response) + " s");
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(toWait(response)));
      response = send(ready);
    }
    try {
      return new ApiResponse(response.statusCode(), JSON.readTree(response.body()));
    } catch (IOException notJson) {
      return new ApiResponse(response.statusCode(), MissingNode.getInstance());
    }
  }

  private HttpResponse<byte[]> send(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new ClientFailed(
          "no server answers at " + url + "; start one with ./fairgate up, or name it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClientFailed("interrupted");
    }
  }

  /// The wait in seconds that a rate limit demands; 0 without a limit or when the wait is too long.
  private static long toWait(HttpResponse<?> response) {
    String retryAfter = response.headers().firstValue("retry-after").orElse("");
    return response.statusCode() == 429 && retryAfter.matches("[0-9]{1,2}")
        ? Long.parseLong(retryAfter)
        : 0;
  }

  /// The interesting part of an answer.
  static String shown(ApiResponse answer) {
    StringJoiner members = new StringJoiner(", ");
    for (String name : INTERESTING) {
      JsonNode value = answer.body().path(name);
      if (value.isValueNode() && !value.isNull()) {
        members.add(name + "=" + (name.equals("message") ? value.asText() : cut(value.asText())));
      }
    }
    return ("     " + answer.status() + "  " + members).stripTrailing();
  }

  private static String cut(String text) {
    return text.length() <= LONGEST_VALUE ? text : text.substring(0, LONGEST_VALUE) + "...";
  }

  void say(String line) {
    out.println(line);
    out.flush();
  }
}
