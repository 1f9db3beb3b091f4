package fairgate.sale.payment;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.run.BlockingWork;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Calls to payment providers. Blocks up to the time limit; follows no redirects and reads at most
/// 64 KiB.
final class ProviderHttp implements AutoCloseable {
  private static final long LONGEST_ANSWER = 64 * 1024;

  private final HttpClient http;
  private final Duration timeLimit;

  /// @param timeLimit timeout of a call, including a slow body
  ProviderHttp(Duration timeLimit) {
    this.timeLimit = timeLimit;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeLimit)
            .executor(BlockingWork.executor("payment"))
            .build();
  }

  /// There was no usable reply: the call may or may not have had its effect.
  static final class NoAnswer extends Exception {
    private static final long serialVersionUID = 1L;

    NoAnswer(String reason) {
      super(reason, null, false, false);
    }

    /// The reason, for logs and operators.
    String reason() {
      return String.valueOf(getMessage());
    }
  }

  /// A reply with any status.
  @SuppressWarnings("ArrayRecordComponent")
  record Answer(int status, byte[] body) {
    boolean isSuccess() {
      return status / 100 == 2;
    }

    JsonObject json() throws NoAnswer {
      try {
        return Json.parseObject(body);
      } catch (JsonSyntaxException e) {
        throw new NoAnswer("the answer with status " + status + " is no JSON object");
      }
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }

  /// A request with the time limit.
  HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).timeout(timeLimit);
  }

  Answer send(HttpRequest.Builder request) throws NoAnswer {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(
            request.build(),
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofByteArray(), LONGEST_ANSWER));
    try {
      // The limit of the request ends with the head. This one covers a slow body.
      HttpResponse<byte[]> response = answer.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS);
      return new Answer(response.statusCode(), response.body());
    } catch (TimeoutException e) {
      boolean _ = answer.cancel(true);
      throw new NoAnswer("no answer in " + timeLimit);
    } catch (ExecutionException e) {
      throw new NoAnswer(String.valueOf(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      boolean _ = answer.cancel(true);
      throw new NoAnswer("interrupted");
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
