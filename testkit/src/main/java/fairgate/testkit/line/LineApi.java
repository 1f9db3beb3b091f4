package fairgate.testkit.line;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import fairgate.testkit.line.FakeLine.Fault;
import fairgate.testkit.line.FakeLine.ReceivedCall;
import fairgate.testkit.line.FakeLine.Shown;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The endpoints of the Messaging API, and their state. Its monitor guards everything; it is
/// notified after each call.
final class LineApi {
  static final ObjectMapper JSON = new ObjectMapper();

  private record Token(String chat, long issued) {}

  private final String token;
  private final Clock clock;
  private final Map<String, Token> tokens = new HashMap<>();
  private final Map<String, String> retryKeys = new HashMap<>();
  private final Map<String, String> languages = new HashMap<>();
  private final List<ReceivedCall> calls = new ArrayList<>();
  private final List<Shown> shown = new ArrayList<>();
  private final Queue<Fault> troubles = new ArrayDeque<>();
  private CountDownLatch held = new CountDownLatch(1);
  private Consumer<Shown> onShown = _ -> {};
  private Consumer<ReceivedCall> onCall = _ -> {};

  LineApi(String token, Clock clock) {
    this.token = token;
    this.clock = clock;
  }

  /// An answer of the API.
  record Answer(int status, ObjectNode body, @Nullable String acceptedRequest) {
    static Answer of(int status, ObjectNode body) {
      return new Answer(status, body, null);
    }

    static Answer problem(int status, String message) {
      return of(status, JSON.createObjectNode().put("message", message));
    }
  }

  private interface Endpoint {
    /// Waits for as long as the call is to be held, and returns the rest of the work.
    Act to(HttpExchange exchange, JsonNode body);
  }

  /// Runs under the monitor, together with the note of the call: a message is never to be seen
  /// before its call.
  private interface Act {
    Answer go();
  }

  void serveOn(HttpServer server) {
    serve(server, "/v2/bot/message/reply", this::reply);
    serve(server, "/v2/bot/message/push", this::push);
    serve(server, "/v2/bot/message/validate/", (_, body) -> () -> LineLimits.check(body));
    serve(server, "/v2/bot/chat/loading/start", (_, body) -> () -> loading(body));
    serve(server, "/v2/bot/profile/", (exchange, _) -> () -> profile(exchange));
  }

  synchronized void next(Fault... ones) {
    troubles.addAll(List.of(ones));
  }

  synchronized void release() {
    held.countDown();
    held = new CountDownLatch(1);
  }

  synchronized void speaks(String userId, String language) {
    languages.put(userId, language);
  }

  synchronized void watch(Consumer<Shown> messages, Consumer<ReceivedCall> received) {
    onShown = messages;
    onCall = received;
  }

  synchronized List<ReceivedCall> calls() {
    return List.copyOf(calls);
  }

  synchronized List<Shown> shown() {
    return List.copyOf(shown);
  }

  /// A reply token works from now on, unless it did before.
  synchronized void issue(String replyToken, String chat) {
    tokens.putIfAbsent(replyToken, new Token(chat, clock.millis()));
  }

  private Act reply(HttpExchange exchange, JsonNode body) {
    if (exchange.getRequestHeaders().containsKey("X-Line-Retry-Key")) {
      return () -> Answer.problem(400, "X-Line-Retry-Key cannot be used with this endpoint");
    }
    return delivered(
        () -> {
          Token found = tokens.remove(body.path("replyToken").asText());
          if (found == null || clock.millis() - found.issued() > FakeLine.TOKEN_LIFE.toMillis()) {
            return Answer.problem(400, "Invalid reply token");
          }
          return show("reply", found.chat(), body);
        },
        body);
  }

  private Act push(HttpExchange exchange, JsonNode body) {
    return delivered(
        () -> {
          String key = exchange.getRequestHeaders().getFirst("X-Line-Retry-Key");
          String before = key == null ? null : retryKeys.get(key);
          if (before != null) {
            return new Answer(
                409,
                JSON.createObjectNode().put("message", "The retry key is already accepted"),
                before);
          }
          if (key != null) {
            retryKeys.put(key, UUID.randomUUID().toString());
          }
          return show("push", body.path("to").asText(), body);
        },
        body);
  }

  private Act delivered(Act act, JsonNode body) {
    Answer limits = LineLimits.check(body);
    if (limits.status() != 200) {
      return () -> limits;
    }
    Fault trouble;
    CountDownLatch gate;
    synchronized (this) {
      trouble = troubles.poll();
      gate = held;
    }
    if (trouble == Fault.HELD) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return () ->
        switch (trouble) {
          case null -> act.go();
          case HELD -> act.go();
          case STATUS_500 -> Answer.problem(500, "Internal server error");
          case RATE_LIMIT -> Answer.problem(429, "The API rate limit has been exceeded.");
          case MONTHLY_LIMIT -> Answer.problem(429, "You have reached your monthly limit.");
          case UNAUTHORIZED -> Answer.problem(401, "Authentication failed");
          case FORGETFUL -> {
            Answer _ = act.go();
            yield Answer.problem(500, "Internal server error");
          }
        };
  }

  private Answer show(String how, String chat, JsonNode body) {
    ObjectNode answer = JSON.createObjectNode();
    var sent = answer.putArray("sentMessages");
    for (JsonNode message : body.path("messages")) {
      Shown one = new Shown(how, chat, message);
      shown.add(one);
      onShown.accept(one);
      sent.addObject().put("id", Integer.toString(shown.size())).put("quoteToken", "quote");
    }
    return Answer.of(200, answer);
  }

  private static Answer loading(JsonNode body) {
    int seconds = body.path("loadingSeconds").asInt();
    boolean right =
        body.path("chatId").asText().startsWith("U")
            && seconds >= 5
            && seconds <= 60
            && seconds % 5 == 0;
    return right
        ? Answer.of(202, JSON.createObjectNode())
        : Answer.problem(400, "The request body has 1 error(s)");
  }

  private Answer profile(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    String user = path.substring(path.lastIndexOf('/') + 1);
    String language = languages.get(user);
    return language == null
        ? Answer.problem(404, "Not found")
        : Answer.of(
            200,
            JSON.createObjectNode()
                .put("userId", user)
                .put("displayName", "Somebody")
                .put("language", language));
  }

  private void serve(HttpServer server, String path, Endpoint endpoint) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            byte[] bytes = exchange.getRequestBody().readAllBytes();
            JsonNode body = bytes.length == 0 ? JSON.createObjectNode() : JSON.readTree(bytes);
            boolean known =
                ("Bearer " + token).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            Act act =
                known
                    ? endpoint.to(exchange, body)
                    : () ->
                        Answer.problem(401, "Authentication failed. Confirm that the access token");
            respond(exchange, noted(exchange, body, act));
          }
        });
  }

  private synchronized Answer noted(HttpExchange exchange, JsonNode body, Act act) {
    Answer answer = act.go();
    String key = exchange.getRequestHeaders().getFirst("X-Line-Retry-Key");
    String path = exchange.getRequestURI().getPath();
    ReceivedCall call = new ReceivedCall(path, key == null ? "" : key, body, answer.status());
    calls.add(call);
    onCall.accept(call);
    notifyAll();
    return answer;
  }

  private static void respond(HttpExchange exchange, Answer answer) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(answer.body());
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.getResponseHeaders().set("x-line-request-id", UUID.randomUUID().toString());
    if (answer.acceptedRequest() != null) {
      exchange.getResponseHeaders().set("x-line-accepted-request-id", answer.acceptedRequest());
    }
    exchange.sendResponseHeaders(answer.status(), bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
