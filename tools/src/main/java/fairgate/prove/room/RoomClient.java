package fairgate.prove.room;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// HTTP calls that wait for their reply. For virtual threads. A GET whose connection ends without a
/// reply may be repeated, as browsers do.
public final class RoomClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(4);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT).build();

  /// A reply.
  ///
  /// @param status 0 if there is none
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Reply(int status, byte[] body, List<String> cookies) {
    static final Reply NONE = new Reply(0, new byte[0], List.of());

    /// The body; a missing node if it is no JSON.
    public JsonNode json() {
      try {
        return JSON.readTree(body);
      } catch (IOException _) {
        return MissingNode.getInstance();
      }
    }

    /// The value of a cookie that it sets; empty without.
    String cookie(String prefix) {
      for (String cookie : cookies) {
        if (cookie.startsWith(prefix)) {
          int end = cookie.indexOf(';');
          return cookie.substring(cookie.indexOf('=') + 1, end < 0 ? cookie.length() : end);
        }
      }
      return "";
    }
  }

  /// Sends a call and waits for its reply; [Reply#NONE] if there is none.
  public Reply call(
      int port,
      String method,
      String path,
      Map<String, String> headers,
      @Nullable ObjectNode body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(TIMEOUT)
            .header("Accept", "application/json")
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body.toString()));
    headers.forEach(request::header);
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    try {
      // The timeout of a request ends with the headers of its reply.
      HttpResponse<byte[]> reply =
          http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray())
              .get(2 * TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      return new Reply(reply.statusCode(), reply.body(), reply.headers().allValues("set-cookie"));
    } catch (ExecutionException | TimeoutException _) {
      return Reply.NONE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
