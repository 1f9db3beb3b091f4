package fairgate.draw.verify;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/// Reads the files of a draw from its server.
public final class HttpFiles implements DrawFiles {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(60);
  private static final int MAX_FILE = 1 << 30;

  private final URI draw;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  /// @param draw the address of the draw, such as `https://shop.example/draws/demo-2026`
  public HttpFiles(URI draw) {
    String text = draw.toString();
    this.draw = text.endsWith("/") ? URI.create(text.substring(0, text.length() - 1)) : draw;
  }

  @Override
  public Optional<byte[]> read(String path) {
    URI address =
        path.equals(BundleHead.FILE) ? URI.create(draw + "/" + path) : draw.resolve("../" + path);
    HttpRequest request = HttpRequest.newBuilder(address).timeout(CALL_TIMEOUT).GET().build();
    try {
      HttpResponse<InputStream> response =
          http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        return content(address, response.statusCode(), body);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException("interrupted", e));
    }
  }

  private static Optional<byte[]> content(URI address, int status, InputStream body)
      throws IOException {
    if (status == 404) {
      return Optional.empty();
    }
    if (status != 200) {
      throw new IOException(address + " answers " + status);
    }
    byte[] content = body.readNBytes(MAX_FILE);
    if (content.length == MAX_FILE) {
      throw new IOException(address + " is larger than a gigabyte");
    }
    return Optional.of(content);
  }
}
