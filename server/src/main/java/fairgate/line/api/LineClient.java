package fairgate.line.api;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The few calls of the Messaging API the bot makes. They block, for at most the time limit: they
/// are for virtual threads. Nothing that is sent or received here is ever logged.
public final class LineClient implements AutoCloseable {
  private static final long LONGEST_ANSWER = 64 * 1024;
  private static final int LOADING_SECONDS = 20;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http;
  private final String base;
  private final String token;
  private final Duration timeLimit;
  private final Metrics metrics;

  /// @param base such as `https://api.line.me`
  /// @param token the channel's access token
  public LineClient(String base, String token, Duration timeLimit, Metrics metrics) {
    this.base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    this.token = token;
    this.timeLimit = timeLimit;
    this.metrics = metrics;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeLimit)
            .executor(threads)
            .build();
  }

  /// Answers an event by its reply token, which works once and for about a minute. Costs no quota.
  public Sent reply(String replyToken, List<LineMessage> messages) {
    byte[] body = body("replyToken", replyToken, messages);
    return send("reply", post("/v2/bot/message/reply", body).build());
  }

  /// Sends without being asked; counts against the month's messages.
  ///
  /// @param to a user, group or room
  /// @param key the same for every try of the same message; LINE takes one of them within a day
  public Sent push(String to, List<LineMessage> messages, UUID key) {
    byte[] body = body("to", to, messages);
    return send(
        "push",
        post("/v2/bot/message/push", body).header("X-Line-Retry-Key", key.toString()).build());
  }

  /// Shows the user that an answer is being made, until it comes or 20 seconds are over. In chats
  /// with one person only. What becomes of it does not matter.
  public void loading(String userId) {
    byte[] body =
        JsonText.object().put("chatId", userId).put("loadingSeconds", LOADING_SECONDS).bytes();
    var _ = send("loading", post("/v2/bot/chat/loading/start", body).build());
  }

  /// The language of a user's LINE, such as `zh-TW`; empty when it is not known.
  public Optional<String> language(String userId) {
    String path = "/v2/bot/profile/" + URLEncoder.encode(userId, StandardCharsets.UTF_8);
    try {
      HttpResponse<byte[]> answer = exchange(request(path).GET().build());
      return answer.statusCode() == 200
          ? Optional.ofNullable(Json.parseObject(answer.body()).get("language"))
              .map(Object::toString)
          : Optional.empty();
    } catch (ExecutionException | TimeoutException | JsonSyntaxException _) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    threads.shutdownNow();
  }

  private static byte[] body(String name, String to, List<LineMessage> messages) {
    if (messages.isEmpty() || messages.size() > LineMessage.MOST) {
      throw new IllegalArgumentException(messages.size() + " messages in one call");
    }
    return JsonText.object()
        .put(name, to)
        .putAny("messages", messages.stream().map(LineMessage::json).toList())
        .bytes();
  }

  private HttpRequest.Builder post(String path, byte[] body) {
    return request(path)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofByteArray(body));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path))
        .timeout(timeLimit)
        .header("Authorization", "Bearer " + token);
  }

  private Sent send(String endpoint, HttpRequest request) {
    Sent sent = sent(request);
    switch (sent) {
      case Sent.Accepted _ -> {}
      case Sent.Refused _ -> refused(endpoint, "invalid");
      case Sent.Limited(boolean monthly) -> refused(endpoint, monthly ? "quota" : "rate");
      case Sent.Unauthorized _ -> refused(endpoint, "unauthorized");
      case Sent.Unanswered _ -> refused(endpoint, "unanswered");
    }
    return sent;
  }

  private void refused(String endpoint, String cause) {
    metrics
        .counter(
            "fairgate_line_refusals",
            "Calls LINE did not take",
            "endpoint",
            endpoint,
            "cause",
            cause)
        .increment();
  }

  private Sent sent(HttpRequest request) {
    HttpResponse<byte[]> answer;
    try {
      answer = exchange(request);
    } catch (TimeoutException e) {
      return new Sent.Unanswered(true);
    } catch (ExecutionException e) {
      boolean unsent =
          e.getCause() instanceof ConnectException
              || e.getCause() instanceof HttpConnectTimeoutException;
      return new Sent.Unanswered(!unsent);
    }
    int status = answer.statusCode();
    return switch (status) {
      case 200, 202 -> new Sent.Accepted(false);
      // Only a call with a retry key is answered 409: an earlier try was taken.
      case 409 -> new Sent.Accepted(true);
      case 429 -> new Sent.Limited(isMonthly(answer.body()));
      case 401, 403 -> new Sent.Unauthorized();
      default -> status >= 500 ? new Sent.Unanswered(true) : new Sent.Refused(status);
    };
  }

  /// One status has two causes, told apart by the message only.
  private static boolean isMonthly(byte[] body) {
    return new String(body, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).contains("monthly");
  }

  private HttpResponse<byte[]> exchange(HttpRequest request)
      throws ExecutionException, TimeoutException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(
            request,
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofByteArray(), LONGEST_ANSWER));
    try {
      // The request's own limit ends with the head; this one covers a body that trickles in.
      return answer.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      boolean _ = answer.cancel(true);
      throw new TimeoutException("interrupted");
    } catch (TimeoutException e) {
      boolean _ = answer.cancel(true);
      throw e;
    }
  }
}
