package fairgate.sale.webhook;

import fairgate.kernel.WebhookSignature;
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

/// Sends signed messages to the configured address. Blocks up to the time limit; follows no
/// redirects and reads only the status of the reply.
final class WebhookClient implements AutoCloseable {
  private static final long LONGEST_ANSWER = 64 * 1024;
  private static final int GONE = 410;
  private static final long LONGEST_WAIT_S = 86_400;

  private final HttpClient http;
  private final URI address;
  private final WebhookSignature signature;
  private final Duration timeLimit;

  WebhookClient(URI address, WebhookSignature signature, Duration timeLimit) {
    this.address = address;
    this.signature = signature;
    this.timeLimit = timeLimit;
    this.http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeLimit)
            .executor(BlockingWork.executor("webhook"))
            .build();
  }

  /// The outcome of a delivery.
  sealed interface Delivery {
    /// A short description, for the table.
    String answer();

    /// The receiver accepted the message.
    record Accepted(String answer) implements Delivery {}

    /// It is unknown whether the message was accepted; it must be sent again.
    ///
    /// @param after minimum pause that the receiver requests; zero for none
    record RetryLater(String answer, Duration after) implements Delivery {}

    /// The receiver wants no more messages.
    record Gone(String answer) implements Delivery {}
  }

  Delivery send(String id, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address)
            .timeout(timeLimit)
            .header("content-type", "application/json")
            .header("user-agent", "Fairgate")
            .POST(HttpRequest.BodyPublishers.ofByteArray(bytes));
    signature.sign(id, bytes).forEach(request::header);
    CompletableFuture<HttpResponse<Void>> answer =
        http.sendAsync(
            request.build(),
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.discarding(), LONGEST_ANSWER));
    try {
      // The limit of the request ends with the head. This one covers a slow body.
      return judge(answer.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      boolean _ = answer.cancel(true);
      return new Delivery.RetryLater("no answer in " + timeLimit.toMillis() + " ms", Duration.ZERO);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return new Delivery.RetryLater(
          cause == null ? "failed" : cause.getClass().getSimpleName(), Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      boolean _ = answer.cancel(true);
      return new Delivery.RetryLater("interrupted", Duration.ZERO);
    }
  }

  private static Delivery judge(HttpResponse<Void> response) {
    int status = response.statusCode();
    String answer = "status " + status;
    if (status / 100 == 2) {
      return new Delivery.Accepted(answer);
    }
    if (status == GONE) {
      return new Delivery.Gone(answer);
    }
    String wait = response.headers().firstValue("retry-after").orElse("");
    return new Delivery.RetryLater(
        answer,
        wait.matches("[0-9]{1,9}")
            ? Duration.ofSeconds(Math.min(LONGEST_WAIT_S, Long.parseLong(wait)))
            : Duration.ZERO);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
