package fairgate.line.api;

import fairgate.platform.http.HttpCalls;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/// Client of the Messaging API calls that the bot needs. Calls block for at most the time limit, so
/// they belong on virtual threads. Nothing sent or received here is logged.
public final class LineClient implements AutoCloseable {
  private static final long LONGEST_ANSWER = 64 * 1024;
  private static final int LOADING_SECONDS = 20;
  private static final List<String> ENDPOINTS = List.of("reply", "push", "loading");
  private static final List<String> CAUSES =
      List.of("invalid", "quota", "rate", "unauthorized", "unanswered");

  private final HttpCalls http;
  private final String base;
  private final String token;
  private final Metrics metrics;

  /// @param base for example `https://api.line.me`
  /// @param token the channel's access token
  public LineClient(String base, String token, Duration timeLimit, Metrics metrics) {
    this.base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    this.token = token;
    this.metrics = metrics;
    this.http = new HttpCalls("line-api", timeLimit, LONGEST_ANSWER);
    // Create all counters now: an alert on an increase misses the first step of a new counter.
    for (String endpoint : ENDPOINTS) {
      for (String cause : CAUSES) {
        var _ = refusals(endpoint, cause);
      }
    }
  }

  /// Sends messages by an event's reply token, which works once and for about a minute. Costs no
  /// quota.
  public SendOutcome reply(String replyToken, List<LineMessage> messages) {
    byte[] body = body("replyToken", replyToken, messages);
    return send("reply", post("/v2/bot/message/reply", body));
  }

  /// Sends messages without a reply token. Counts against the monthly quota.
  ///
  /// @param to a user, group or room
  /// @param key the same for every attempt of one message; LINE accepts a key once a day
  public SendOutcome push(String to, List<LineMessage> messages, UUID key) {
    byte[] body = body("to", to, messages);
    return send(
        "push", post("/v2/bot/message/push", body).header("X-Line-Retry-Key", key.toString()));
  }

  /// Shows the loading animation until an answer comes or 20 seconds have passed. Private chats
  /// only. The result is ignored.
  public void loading(String userId) {
    byte[] body =
        JsonText.object().put("chatId", userId).put("loadingSeconds", LOADING_SECONDS).bytes();
    var _ = send("loading", post("/v2/bot/chat/loading/start", body));
  }

  /// The language of a user's LINE app, such as `zh-TW`; empty when unknown.
  public Optional<String> language(String userId) {
    String path = "/v2/bot/profile/" + URLEncoder.encode(userId, StandardCharsets.UTF_8);
    try {
      HttpResponse<byte[]> answer = http.send(request(path));
      return answer.statusCode() == 200
          ? Optional.ofNullable(Json.parseObject(answer.body()).get("language"))
              .map(Object::toString)
          : Optional.empty();
    } catch (HttpCalls.NoReply | JsonSyntaxException _) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    http.close();
  }

  private static byte[] body(String name, String to, List<LineMessage> messages) {
    if (messages.isEmpty() || messages.size() > LineMessage.MAX) {
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
    return http.request(base + path).header("Authorization", "Bearer " + token);
  }

  private SendOutcome send(String endpoint, HttpRequest.Builder request) {
    SendOutcome sent = sent(request);
    switch (sent) {
      case SendOutcome.Accepted _ -> {}
      case SendOutcome.Refused _ -> refused(endpoint, "invalid");
      case SendOutcome.Limited(boolean monthly) -> refused(endpoint, monthly ? "quota" : "rate");
      case SendOutcome.Unauthorized _ -> refused(endpoint, "unauthorized");
      case SendOutcome.Unanswered _ -> refused(endpoint, "unanswered");
    }
    return sent;
  }

  private void refused(String endpoint, String cause) {
    refusals(endpoint, cause).increment();
  }

  private Counter refusals(String endpoint, String cause) {
    return metrics.counter(
        "fairgate_line_refusals", "Calls LINE did not take", "endpoint", endpoint, "cause", cause);
  }

  private SendOutcome sent(HttpRequest.Builder request) {
    HttpResponse<byte[]> answer;
    try {
      answer = http.send(request);
    } catch (HttpCalls.NoReply e) {
      return new SendOutcome.Unanswered(e.mayBeSent());
    }
    int status = answer.statusCode();
    return switch (status) {
      case 200, 202 -> new SendOutcome.Accepted(false);
      // LINE answers 409 only to calls with a retry key: an earlier attempt was accepted.
      case 409 -> new SendOutcome.Accepted(true);
      case 429 -> new SendOutcome.Limited(isMonthly(answer.body()));
      case 401, 403 -> new SendOutcome.Unauthorized();
      default -> status >= 500 ? new SendOutcome.Unanswered(true) : new SendOutcome.Refused(status);
    };
  }

  /// Status 429 has two causes; only the message distinguishes them.
  private static boolean isMonthly(byte[] body) {
    return new String(body, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT).contains("monthly");
  }

  /// LINE's response to a reply or push.
  public sealed interface SendOutcome {
    /// Delivered, now or by an earlier attempt with the same retry key.
    record Accepted(boolean repeated) implements SendOutcome {}

    /// Refused for good: the reply token was used or has expired, the receiver is unknown, or the
    /// body is invalid.
    record Refused(int status) implements SendOutcome {}

    /// Rate limited.
    ///
    /// @param monthly whether the monthly quota is exhausted, rather than the rate limit
    record Limited(boolean monthly) implements SendOutcome {}

    /// The channel's access token is invalid.
    record Unauthorized() implements SendOutcome {}

    /// No response, or a server error.
    ///
    /// @param mayBeDelivered whether it may have been delivered
    record Unanswered(boolean mayBeDelivered) implements SendOutcome {}
  }
}
