package fairgate.crowd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Calls the public API of a Fairgate server as many buyers at once. A failed connection is an
/// answer of status 0, never an exception.
public final class ShopClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEST_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

  private final HttpClient http;
  private final String host;
  private final int port;
  private final long timeoutMs;
  private final boolean tls;

  /// @param connections how many connections the crowd shares
  public ShopClient(Vertx vertx, String host, int port, int connections, long timeoutMs) {
    this(vertx, host, port, connections, timeoutMs, false);
  }

  /// @param tls whether the server is spoken to over https
  public ShopClient(
      Vertx vertx, String host, int port, int connections, long timeoutMs, boolean tls) {
    this.tls = tls;
    this.host = host;
    this.port = port;
    this.timeoutMs = timeoutMs;
    this.http =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAliveTimeout(60).setIdleTimeoutUnit(TimeUnit.SECONDS),
            new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(-1));
  }

  /// Joins with the token the `test` challenge accepts.
  public Future<Answer> join(String product) {
    return join(product, TEST_TOKEN);
  }

  public Future<Answer> join(String product, String challengeToken) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("product_id", product)
            .put("turnstile_token", challengeToken);
    return call(HttpMethod.POST, "/api/queue/join", Map.of(), body);
  }

  public Future<Answer> status(String session) {
    return call(HttpMethod.GET, "/api/queue/status", Map.of("X-Session-Id", session), null);
  }

  public Future<Answer> leave(String session) {
    return call(HttpMethod.POST, "/api/queue/leave", Map.of("X-Session-Id", session), null);
  }

  /// Buys.
  ///
  /// @param token the purchase token, or empty
  /// @param idempotencyKey or empty
  public Future<Answer> purchase(
      String session, String product, int quantity, String token, String idempotencyKey) {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("product_id", product).put("quantity", quantity);
    ObjectNode full = token.isEmpty() ? body : body.put("purchase_token", token);
    Map<String, String> headers =
        idempotencyKey.isEmpty()
            ? Map.of("X-Session-Id", session)
            : Map.of("X-Session-Id", session, "Idempotency-Key", idempotencyKey);
    return call(HttpMethod.POST, "/api/purchase", headers, full);
  }

  /// Pays an order at the sandbox.
  public Future<Answer> pay(String session, String order) {
    return call(
        HttpMethod.POST,
        "/api/orders/" + order + "/pay",
        Map.of("X-Session-Id", session),
        JsonNodeFactory.instance.objectNode().put("result", "paid"));
  }

  /// Tries to sign in.
  public Future<Answer> login(String username, String password) {
    return call(
        HttpMethod.POST,
        "/api/v1/login",
        Map.of(),
        JsonNodeFactory.instance.objectNode().put("username", username).put("password", password));
  }

  public Future<Answer> get(String path) {
    return call(HttpMethod.GET, path, Map.of(), null);
  }

  /// An operator's call.
  public Future<Answer> admin(String method, String path, String token, @Nullable ObjectNode body) {
    return call(HttpMethod.valueOf(method), path, Map.of("Authorization", "Bearer " + token), body);
  }

  private Future<Answer> call(
      HttpMethod method, String path, Map<String, String> headers, @Nullable ObjectNode body) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setSsl(tls)
            .setHost(host)
            .setPort(port)
            .setURI(path)
            .setTimeout(timeoutMs);
    return asked(options)
        // The body is requested on the event loop that receives the head. A caller's thread could
        // be late, miss the body, and wait for ever.
        .compose(request -> send(request, headers, body).compose(ShopClient::answer))
        .timeout(2 * timeoutMs, TimeUnit.MILLISECONDS)
        .otherwise(_ -> new Answer(0, MissingNode.getInstance()));
  }

  private Future<HttpClientRequest> asked(RequestOptions options) {
    try {
      return http.request(options);
    } catch (IllegalStateException closed) {
      return Future.failedFuture(closed);
    }
  }

  private static Future<HttpClientResponse> send(
      HttpClientRequest request, Map<String, String> headers, @Nullable ObjectNode body) {
    headers.forEach(request::putHeader);
    if (body == null) {
      return request.send();
    }
    request.putHeader("Content-Type", "application/json");
    return request.send(Buffer.buffer(body.toString()));
  }

  private static Future<Answer> answer(HttpClientResponse response) {
    return response.body().map(bytes -> new Answer(response.statusCode(), parse(bytes)));
  }

  private static JsonNode parse(Buffer bytes) {
    try {
      return JSON.readTree(bytes.getBytes());
    } catch (IOException notJson) {
      return MissingNode.getInstance();
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
