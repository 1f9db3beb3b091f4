package fairgate.gate.challenge;

import fairgate.platform.json.JsonText;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Makes single calls to siteverify. A future fails when there was no usable answer in time, or one
/// that asks to be called again.
final class SiteverifyClient implements AutoCloseable {
  private static final long LONGEST_REPLY = 16 * 1024;

  private final HttpClient http;
  private final URI address;
  private final String secret;
  private final Duration timeout;

  SiteverifyClient(TurnstileConfig config) {
    this.address = config.siteverify();
    this.secret = config.secret();
    this.timeout = config.timeout();
    boolean secure = "https".equals(address.getScheme());
    this.http =
        HttpClient.newBuilder()
            .version(secure ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout)
            .build();
  }

  /// Asks once. The whole exchange, body included, has the configured time.
  ///
  /// @param idempotencyKey a UUID; with the same one a repeat of a call gets the first answer
  CompletableFuture<SiteverifyReply> ask(
      String token, String clientAddress, String idempotencyKey) {
    String body =
        JsonText.object()
            .put("secret", secret)
            .put("response", token)
            .put("remoteip", clientAddress)
            .put("idempotency_key", idempotencyKey)
            .toString();
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    CompletableFuture<HttpResponse<byte[]>> exchange =
        http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), LONGEST_REPLY));
    return exchange
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((_, failure) -> stop(exchange, failure != null))
        .thenCompose(SiteverifyClient::understand);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /// Frees the connection of a call nobody waits for any more.
  private static void stop(CompletableFuture<?> exchange, boolean failed) {
    if (failed) {
      exchange.cancel(true);
    }
  }

  private static CompletableFuture<SiteverifyReply> understand(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status == 429) {
      return CompletableFuture.completedFuture(
          new SiteverifyReply(false, "", "", null, List.of("too-many-requests")));
    }
    SiteverifyReply reply =
        status >= 500 ? null : SiteverifyReply.read(response.body()).orElse(null);
    if (reply == null || (reply.success() && status != 200)) {
      return CompletableFuture.failedFuture(new IOException("siteverify answered " + status));
    }
    if (reply.errors().contains(SiteverifyReply.INTERNAL_ERROR)) {
      return CompletableFuture.failedFuture(new IOException("siteverify has an internal error"));
    }
    return CompletableFuture.completedFuture(reply);
  }
}
