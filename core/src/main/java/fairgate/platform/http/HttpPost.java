package fairgate.platform.http;

import fairgate.platform.run.BlockingWork;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends POST requests to an outside service. Blocks up to the time limit, never throws for a
/// failure of the service or the network, and follows no redirects. Safe for use by any thread.
public final class HttpPost implements AutoCloseable {
  private static final long MAX_REPLY_BYTES = 64 * 1024;
  private static final long MAX_RETRY_AFTER_S = 86_400;

  private final HttpClient http;
  private final Duration timeLimit;

  /// @param name of the threads
  /// @param timeLimit of one request, until the last byte of its reply
  public HttpPost(String name, Duration timeLimit) {
    this.timeLimit = timeLimit;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeLimit)
            .executor(BlockingWork.executor(name))
            .build();
  }

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
        HttpRequest.newBuilder(address)
            .timeout(timeLimit)
            .header("user-agent", "Fairgate")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    CompletableFuture<HttpResponse<String>> reply =
        http.sendAsync(
            request.build(),
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofString(), MAX_REPLY_BYTES));
    try {
      // The limit of the request ends with the head. This one covers a slow body.
      return reply(reply.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      boolean _ = reply.cancel(true);
      return new Answer.NoReply("no answer in " + timeLimit.toMillis() + " ms");
    } catch (ExecutionException e) {
      return failure(e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      boolean _ = reply.cancel(true);
      return new Answer.NoReply("interrupted");
    }
  }

  private static Answer reply(HttpResponse<String> response) {
    String wait = response.headers().firstValue("retry-after").orElse("");
    return new Answer.Reply(
        response.statusCode(),
        wait.matches("[0-9]{1,9}")
            ? Duration.ofSeconds(Math.min(MAX_RETRY_AFTER_S, Long.parseLong(wait)))
            : Duration.ZERO,
        response.body());
  }

  private static Answer failure(Throwable cause) {
    String reason = cause.getClass().getSimpleName();
    return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
        ? new Answer.NotReached(reason)
        : new Answer.NoReply(reason);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
