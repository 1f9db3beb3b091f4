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
  private final ProviderHealth health;

  /// @param timeLimit timeout of a call, including a slow body
  /// @param health learns of the outcome of each call
  ProviderHttp(Duration timeLimit, ProviderHealth health) {
    this.timeLimit = timeLimit;
    this.health = health;
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

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  @SuppressWarnings("ArrayRecordComponent")
  record Answer(int status, byte[] body) {
    boolean isSuccess() {
      return status / 100 == 2;
    }

    /// Whether nobody can pay for now: the provider fails, is overloaded, or does not accept the
    /// account.
    boolean isFailure() {
      return status >= 500 || status == 401 || status == 429;
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

  HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).timeout(timeLimit);
  }

  Answer send(HttpRequest.Builder request) throws NoAnswer {
    try {
      Answer answer = exchange(request);
      if (answer.isFailure()) {
        health.failed("status " + answer.status());
      } else {
        health.succeeded();
      }
      return answer;
    } catch (NoAnswer e) {
      health.failed(e.reason());
      throw e;
    }
  }

  private Answer exchange(HttpRequest.Builder request) throws NoAnswer {
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
