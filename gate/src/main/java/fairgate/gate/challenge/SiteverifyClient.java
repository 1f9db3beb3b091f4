package fairgate.gate.challenge;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Client of siteverify. A future fails when there is no usable response in time, or a response
/// that asks for a retry.
final class SiteverifyClient implements AutoCloseable {
  private static final long LONGEST_REPLY = 16 * 1024;

  private final HttpClient http;
  private final WidgetService service;
  private final Duration timeout;

  SiteverifyClient(WidgetService service, Duration timeout) {
    this.service = service;
    this.timeout = timeout;
    boolean secure = "https".equals(service.address().getScheme());
    this.http =
        HttpClient.newBuilder()
            .version(secure ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout)
            .build();
  }

  /// Sends one call. The configured timeout covers the whole exchange, including the body.
  CompletableFuture<SiteverifyReply> ask(
      String token, String clientAddress, String idempotencyKey) {
    HttpRequest request = service.request(token, clientAddress, idempotencyKey);
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

  /// Releases the connection of an abandoned call.
  private static void stop(CompletableFuture<?> exchange, boolean failed) {
    if (failed) {
      exchange.cancel(true);
    }
  }

  private static CompletableFuture<SiteverifyReply> understand(HttpResponse<byte[]> response) {
    int status = response.statusCode();
    if (status == 429) {
      return CompletableFuture.completedFuture(SiteverifyReply.refused("too-many-requests"));
    }
    SiteverifyReply reply =
        status >= 500 ? null : SiteverifyReply.read(response.body()).orElse(null);
    if (reply == null || (reply.success() && status != 200)) {
      return CompletableFuture.failedFuture(
          new IOException("siteverify returned status " + status));
    }
    if (reply.errors().contains(SiteverifyReply.INTERNAL_ERROR)) {
      return CompletableFuture.failedFuture(
          new IOException("siteverify reported an internal error"));
    }
    return CompletableFuture.completedFuture(reply);
  }
}
