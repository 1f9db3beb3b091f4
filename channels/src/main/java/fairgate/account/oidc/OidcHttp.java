package fairgate.account.oidc;

import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import fairgate.platform.http.HttpCalls;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// HTTP calls to providers, with a deadline for the whole response and a maximum length. Redirects
/// are not followed. All methods block.
final class OidcHttp implements ResourceRetriever, AutoCloseable {
  private static final long MAX_RESPONSE_BYTES = 256 * 1024;

  private final HttpCalls http;

  /// @param timeout the deadline of one call
  OidcHttp(Duration timeout) {
    this.http = new HttpCalls("oidc", timeout, MAX_RESPONSE_BYTES);
  }

  /// The body at this address. Throws IOException unless the response is 200.
  String get(URI uri) throws IOException {
    HttpResponse<byte[]> response =
        http.send(http.request(uri.toString()).header("accept", "application/json"));
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

  /// Sends a POST request of the library.
  HTTPResponse post(HTTPRequest request) throws IOException {
    HttpRequest.Builder builder =
        http.request(request.getURI().toString())
            .header("accept", "application/json")
            .POST(BodyPublishers.ofString(String.valueOf(request.getBody())));
    request
        .getHeaderMap()
        .forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
    HttpResponse<byte[]> answer = http.send(builder);
    HTTPResponse response = new HTTPResponse(answer.statusCode());
    try {
      response.setContentType(answer.headers().firstValue("content-type").orElse(""));
    } catch (ParseException e) {
      throw new IOException("the content type is invalid", e);
    }
    response.setBody(new String(answer.body(), StandardCharsets.UTF_8));
    return response;
  }

  @Override
  public void close() {
    http.close();
  }
}
