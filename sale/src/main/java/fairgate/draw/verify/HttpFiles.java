package fairgate.draw.verify;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Reads the files of a draw from its server.
public final class HttpFiles implements VerifyRequest.Files {
  private static final Duration FILE_LIMIT = Duration.ofSeconds(60);

  /// The time that a server gives a reader for a large file.
  private static final Duration RESULT_LIMIT = Duration.ofMinutes(15);

  private static final int MAX_FILE = 1 << 30;

  private final URI draw;
  private final Duration fileLimit;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(10))
          .build();

  /// @param draw the address of the draw, such as `https://shop.example/draws/demo-2026`
  public HttpFiles(URI draw) {
    this(draw, FILE_LIMIT);
  }

  /// @param fileLimit time for the whole of a file other than the result
  HttpFiles(URI draw, Duration fileLimit) {
    this.fileLimit = fileLimit;
    String text = draw.toString();
    this.draw = text.endsWith("/") ? URI.create(text.substring(0, text.length() - 1)) : draw;
  }

  @Override
  public Optional<byte[]> read(String path) {
    URI address =
        path.equals(BundleHead.FILE) ? URI.create(draw + "/" + path) : draw.resolve("../" + path);
    Duration limit = path.endsWith("/result") ? RESULT_LIMIT : fileLimit;
    HttpRequest request = HttpRequest.newBuilder(address).GET().build();
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_FILE));
    try {
      // The time limit of a request would end with the head of the reply.
      return content(address, sent.get(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      boolean _ = sent.cancel(true);
      throw unread(address + " is not complete after " + limit.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw unread(address + " cannot be read: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unread("interrupted", e);
    }
  }

  private static UncheckedIOException unread(String problem, Exception cause) {
    return new UncheckedIOException(new IOException(problem, cause));
  }

  private static Optional<byte[]> content(URI address, HttpResponse<byte[]> response) {
    return switch (response.statusCode()) {
      case 200 -> Optional.of(response.body());
      case 404 -> Optional.empty();
      default ->
          throw new UncheckedIOException(
              new IOException(address + " answers " + response.statusCode()));
    };
  }
}
