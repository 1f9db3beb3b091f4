package fairgate.app.client;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/// Client of a server's admin API.
final class AdminClient {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LONGEST = Duration.ofHours(1);

  private final URI server;
  private final String token;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  AdminClient(URI server, String token) {
    this.server = server;
    this.token = token;
  }

  /// A response of the server.
  ///
  /// @param retryAfter seconds; 0 when absent
  record Response(int status, JsonObject json, long retryAfter) {
    boolean granted() {
      return status < 300;
    }

    long number(String name) {
      return json.get(name) instanceof Long number ? number : 0;
    }

    String text(String name) {
      return json.get(name) instanceof String text ? text : "";
    }

    /// An object within the response; without fields when absent.
    Response part(String name) {
      JsonObject part =
          json.get(name) instanceof JsonObject object ? object : Json.parseObject("{}");
      return new Response(status, part, retryAfter);
    }
  }

  static final class Unreachable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreachable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  URI server() {
    return server;
  }

  Response get(String path) throws Unreachable {
    return send(request(path).timeout(CALL_TIMEOUT).GET().build());
  }

  /// A POST without a body, which may take long.
  Response post(String path) throws Unreachable {
    return send(request(path).timeout(LONGEST).POST(HttpRequest.BodyPublishers.noBody()).build());
  }

  Response post(String path, String json) throws Unreachable {
    return send(
        request(path)
            .timeout(CALL_TIMEOUT)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build());
  }

  /// Streams a file.
  ///
  /// @param sent receives the number of bytes sent
  Response upload(String path, Map<String, String> query, Path file, LongConsumer sent)
      throws Unreachable {
    HttpRequest.BodyPublisher body =
        HttpRequest.BodyPublishers.ofInputStream(() -> counted(file, sent));
    String target =
        path
            + "?"
            + query.entrySet().stream()
                .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    return send(
        request(target).timeout(LONGEST).header("content-type", "text/csv").POST(body).build());
  }

  /// Writes the response body to a file. An error response is returned as a [Response].
  ///
  /// @param json request body; empty for a GET
  Response download(String path, String json, Path to) throws Unreachable {
    HttpRequest.Builder request = request(path).timeout(LONGEST);
    HttpRequest ready =
        json.isEmpty()
            ? request.GET().build()
            : request
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
    HttpResponse<InputStream> response = exchange(ready, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream in = response.body()) {
      if (response.statusCode() >= 300) {
        return answer(response, in.readAllBytes());
      }
      Path draft = to.resolveSibling(to.getFileName() + ".part");
      long _ = Files.copy(in, draft, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      Path _ = Files.move(draft, to, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      return new Response(response.statusCode(), Json.parseObject("{}"), 0);
    } catch (IOException e) {
      throw new Unreachable(to + ": " + e.getMessage(), e);
    }
  }

  private HttpRequest.Builder request(String path) {
    String base = server.toString().replaceAll("/+$", "");
    return HttpRequest.newBuilder(URI.create(base + path))
        .header("accept", "application/json")
        .header("accept-language", language())
        .header("authorization", "Bearer " + token);
  }

  private static String language() {
    return java.util.Locale.getDefault().toLanguageTag();
  }

  private Response send(HttpRequest request) throws Unreachable {
    HttpResponse<byte[]> response = exchange(request, HttpResponse.BodyHandlers.ofByteArray());
    return answer(response, response.body());
  }

  private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> body)
      throws Unreachable {
    try {
      return http.send(request, body);
    } catch (ConnectException e) {
      throw new Unreachable("no server answers at " + server, e);
    } catch (IOException e) {
      throw new Unreachable("the connection to " + server + " broke: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Unreachable("interrupted", e);
    }
  }

  private static Response answer(HttpResponse<?> response, byte[] body) {
    long retry =
        response
            .headers()
            .firstValue("retry-after")
            .filter(text -> text.matches("\\d{1,6}"))
            .map(Long::parseLong)
            .orElse(0L);
    try {
      return new Response(response.statusCode(), Json.parseObject(body), retry);
    } catch (JsonSyntaxException _) {
      return new Response(response.statusCode(), Json.parseObject("{}"), retry);
    }
  }

  private static InputStream counted(Path file, LongConsumer sent) {
    try {
      return new CountedInput(Files.newInputStream(file), sent);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class CountedInput extends java.io.FilterInputStream {
    private final LongConsumer sent;
    private long count;

    CountedInput(InputStream in, LongConsumer sent) {
      super(in);
      this.sent = sent;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = super.read(into, offset, length);
      if (read > 0) {
        count += read;
        sent.accept(count);
      }
      return read;
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
