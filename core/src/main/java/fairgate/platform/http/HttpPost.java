package fairgate.platform.http;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/// Sends POST requests to an outside service. Blocks up to the time limit, never throws for a
/// failure of the service or the network, and follows no redirects. Safe for use by any thread.
public final class HttpPost implements AutoCloseable {
  private static final long MAX_REPLY_BYTES = 64 * 1024;
  private static final long MAX_RETRY_AFTER_S = 86_400;

  private final HttpCalls http;

  /// @param name of the threads
  /// @param timeLimit of one request, until the last byte of its reply
  public HttpPost(String name, Duration timeLimit) {
    this.http = new HttpCalls(name, timeLimit, MAX_REPLY_BYTES);
  }

  /// The outcome of a request.
  public sealed interface Answer {
    /// The service replied.
    ///
    /// @param retryAfter the pause that it asks for; zero for none
    record Reply(int status, Duration retryAfter, String body) implements Answer {
      public boolean isSuccess() {
        return status / 100 == 2;
      }
    }

    /// No connection was made, so the service has received nothing.
    record NotReached(String reason) implements Answer {}

    /// The service may have received the request.
    record NoReply(String reason) implements Answer {}
  }

  /// Sends one request.
  ///
  /// @param headers by their names, `content-type` among them
  public Answer send(URI address, Map<String, String> headers, byte[] body) {
    HttpRequest.Builder request =
        http.request(address.toString()).POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    try {
      return reply(http.send(request));
    } catch (HttpCalls.NoReply e) {
      Throwable cause = e.getCause();
      String reason = cause == null ? e.reason() : cause.getClass().getSimpleName();
      return e.mayBeSent() ? new Answer.NoReply(reason) : new Answer.NotReached(reason);
    }
  }

  private static Answer reply(HttpResponse<byte[]> response) {
    String wait = response.headers().firstValue("retry-after").orElse("");
    return new Answer.Reply(
        response.statusCode(),
        wait.matches("[0-9]{1,9}")
            ? Duration.ofSeconds(Math.min(MAX_RETRY_AFTER_S, Long.parseLong(wait)))
            : Duration.ZERO,
        new String(response.body(), StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    http.close();
  }
}
