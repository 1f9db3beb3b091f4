package fairgate.platform.http;

import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Vertx;
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
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A server on a free port, and a client for it.
final class TestServer implements AutoCloseable {
  static final KeyRing KEYS = new KeyRing("k1", Map.of("k1", new byte[32]));

  final Metrics metrics = new Metrics();
  final HttpServer server;
  final HttpClient client = HttpClient.newHttpClient();
  private final Vertx vertx = Loops.vertx();

  private TestServer(HttpConfig config, List<Route> routes, @Nullable Guard guard) {
    server =
        HttpServer.start(
            vertx,
            config.withAddress("127.0.0.1", 0),
            routes,
            new HttpDependencies(new Counted(), KEYS, metrics, guard));
  }

  static TestServer of(Route... routes) {
    return new TestServer(HttpConfig.defaults(), List.of(routes), null);
  }

  static TestServer of(HttpConfig config, Route... routes) {
    return new TestServer(config, List.of(routes), null);
  }

  static TestServer guarded(Guard guard, Route... routes) {
    return new TestServer(HttpConfig.defaults(), List.of(routes), guard);
  }

  int port() {
    return server.port();
  }

  /// Sends a request without a body.
  ///
  /// @param headers name, value, name, value, ...
  HttpResponse<String> send(String method, String target, String... headers) {
    return send(request(method, target, HttpRequest.BodyPublishers.noBody(), headers));
  }

  HttpResponse<String> get(String target, String... headers) {
    return send("GET", target, headers);
  }

  HttpResponse<String> post(String target, byte[] body, String... headers) {
    return send(request("POST", target, HttpRequest.BodyPublishers.ofByteArray(body), headers));
  }

  HttpResponse<String> post(String target, String body, String... headers) {
    return send(request("POST", target, HttpRequest.BodyPublishers.ofString(body), headers));
  }

  private HttpRequest request(
      String method, String target, HttpRequest.BodyPublisher body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + target))
            .timeout(Duration.ofMinutes(1))
            .method(method, body);
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    try {
      Void _ = vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Ids that count up.
  static final class Counted implements Ids {
    private final AtomicLong last = new AtomicLong();

    @Override
    public SessionId session() {
      return new SessionId("00000000-0000-4000-8000-%012d".formatted(last.incrementAndGet()));
    }

    @Override
    public OrderId order(ProductId product) {
      throw new UnsupportedOperationException();
    }

    @Override
    public DeviceId device() {
      return new DeviceId(nonce());
    }

    @Override
    public String nonce() {
      return "%022d".formatted(last.incrementAndGet());
    }
  }
}
