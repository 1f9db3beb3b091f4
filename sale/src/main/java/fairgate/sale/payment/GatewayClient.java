package fairgate.sale.payment;

import fairgate.kernel.WebhookSignature;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.run.BlockingWork;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Sends signed JSON to a payment gateway and reads its JSON reply. Blocks up to the time limit;
/// follows no redirects.
final class GatewayClient implements AutoCloseable {
  private static final long LONGEST_ANSWER = 64 * 1024;

  private final HttpClient http;
  private final WebhookSignature signature;
  private final Duration timeLimit;

  GatewayClient(WebhookSignature signature, Duration timeLimit) {
    this.signature = signature;
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
  }

  /// @param id the message's id; the same for a repeat of the same call
  JsonObject post(String url, String id, byte[] json) throws NoAnswer {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(timeLimit)
            .header("content-type", "application/json")
            .header("idempotency-key", id)
            .POST(HttpRequest.BodyPublishers.ofByteArray(json));
    signature.sign(id, json).forEach(request::header);
    HttpResponse<byte[]> response = exchange(request.build());
    if (response.statusCode() / 100 != 2) {
      throw new NoAnswer("status " + response.statusCode());
    }
    try {
      return Json.parseObject(response.body());
    } catch (JsonSyntaxException e) {
      throw new NoAnswer("the answer is no JSON object");
    }
  }

  private HttpResponse<byte[]> exchange(HttpRequest request) throws NoAnswer {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(
            request,
            HttpResponse.BodyHandlers.limiting(
                HttpResponse.BodyHandlers.ofByteArray(), LONGEST_ANSWER));
    try {
      // The limit of the request ends with the head. This one covers a slow body.
      return answer.get(timeLimit.toMillis(), TimeUnit.MILLISECONDS);
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
