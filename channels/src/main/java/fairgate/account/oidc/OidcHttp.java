package fairgate.account.oidc;

import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import fairgate.platform.run.BlockingWork;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// HTTP calls to providers, with a deadline for the whole response and a maximum length. Redirects
/// are not followed. All methods block.
final class OidcHttp implements ResourceRetriever, AutoCloseable {
  private static final long MAX_RESPONSE_BYTES = 256 * 1024;

  private final Duration timeout;
  private final HttpClient http;

  /// @param timeout the deadline of one call
  OidcHttp(Duration timeout) {
    this.timeout = timeout;
    this.http =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(timeout)
            .executor(BlockingWork.executor("oidc"))
            .build();
  }

  /// The body at this address. Throws IOException unless the response is 200.
  String get(URI uri) throws IOException {
    HttpResponse<byte[]> response =
        exchange(
            HttpRequest.newBuilder(uri)
                .timeout(timeout)
                .header("accept", "application/json")
                .GET()
                .build());
    if (response.statusCode() != HTTPResponse.SC_OK) {
      throw new IOException("status " + response.statusCode());
    }
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  /// Key sets, for the library.
  @Override
  public Resource retrieveResource(URL url) throws IOException {
    try {
      return new Resource(get(url.toURI()), "application/json");
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  HTTPResponse post(HTTPRequest request) throws IOException {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(request.getURI())
            .timeout(timeout)
            .header("accept", "application/json")
            .POST(BodyPublishers.ofString(String.valueOf(request.getBody())));
    request
        .getHeaderMap()
        .forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
    HttpResponse<byte[]> answer = exchange(builder.build());
    HTTPResponse response = new HTTPResponse(answer.statusCode());
    try {
      response.setContentType(answer.headers().firstValue("content-type").orElse(""));
    } catch (ParseException e) {
      throw new IOException("the content type is invalid", e);
    }
    response.setBody(new String(answer.body(), StandardCharsets.UTF_8));
    return response;
  }

  private HttpResponse<byte[]> exchange(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> answer =
        http.sendAsync(
            request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_RESPONSE_BYTES));
    try {
      // The request's own timeout ends with the head; this one includes the body.
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      boolean _ = answer.cancel(true);
      throw new IOException("no response within " + timeout, e);
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      boolean _ = answer.cancel(true);
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
