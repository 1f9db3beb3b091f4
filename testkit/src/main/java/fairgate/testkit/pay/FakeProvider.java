package fairgate.testkit.pay;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The HTTP side of a fake payment provider: it answers, fails, or acts and fails.
public abstract class FakeProvider implements AutoCloseable {
  /// How the provider behaves towards calls.
  public enum Behavior {
    /// Answers.
    WELL,
    /// Answers with status 500 and changes nothing.
    BROKEN,
    /// Executes calls that change something and answers them with status 500.
    FORGETFUL
  }

  /// A call as received.
  record Call(String method, String path, String query, Map<String, String> headers, String body) {
    Map<String, String> form() {
      return parse(body);
    }

    Map<String, String> queryFields() {
      return parse(query);
    }

    String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  /// A reply.
  record Answer(int status, String type, String body) {}

  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile Behavior behavior = Behavior.WELL;

  FakeProvider() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Called at the end of each constructor.
  final void listen() {
    server.createContext("/", this::serve);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  /// The address of the API, without a slash at its end.
  public final String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public final void behave(Behavior now) {
    behavior = now;
  }

  abstract Answer answer(Call call);

  /// Whether a call changes something.
  boolean changes(Call call) {
    return call.method().equals("POST");
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Map<String, String> headers = new LinkedHashMap<>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
      String query = exchange.getRequestURI().getRawQuery();
      Call call =
          new Call(
              exchange.getRequestMethod(),
              exchange.getRequestURI().getPath(),
              query == null ? "" : query,
              headers,
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      Answer broken = new Answer(500, "text/plain", "broken");
      Answer answer =
          switch (behavior) {
            case WELL -> answer(call);
            case BROKEN -> broken;
            case FORGETFUL -> {
              Answer given = answer(call);
              yield changes(call) ? broken : given;
            }
          };
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("content-type", answer.type());
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /// Posts a message to the server under test and returns its reply.
  final HttpResponse<String> post(URI to, String type, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(to)
            .timeout(Duration.ofSeconds(20))
            .header("content-type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// Reads a form or a query.
  static Map<String, String> parse(String form) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : form.split("&", -1)) {
      int cut = pair.indexOf('=');
      if (cut > 0) {
        fields.put(
            URLDecoder.decode(pair.substring(0, cut), StandardCharsets.UTF_8),
            URLDecoder.decode(pair.substring(cut + 1), StandardCharsets.UTF_8));
      }
    }
    return fields;
  }

  static String form(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(
            field ->
                URLEncoder.encode(field.getKey(), StandardCharsets.UTF_8)
                    + '='
                    + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }

  static byte[] hmac(String key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    client.shutdownNow();
  }
}
