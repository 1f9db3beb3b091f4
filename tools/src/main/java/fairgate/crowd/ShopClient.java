package fairgate.crowd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Calls the public API of a Fairgate server as many buyers at once. A failed connection is an
/// answer of status 0, never an exception.
public final class ShopClient implements AutoCloseable {
  private final CrowdClient client;
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
    this.client = new CrowdClient(vertx, connections);
  }

  /// Joins with the token the `test` challenge accepts.
  public Future<Answer> join(String product) {
    return join(product, CrowdClient.TEST_TOKEN);
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
    RequestOptions request =
        new RequestOptions()
            .setMethod(method)
            .setSsl(tls)
            .setHost(host)
            .setPort(port)
            .setURI(path)
            .setTimeout(timeoutMs);
    headers.forEach(request::putHeader);
    if (body != null) {
      request.putHeader("Content-Type", "application/json");
    }
    return client.call(
        request, body == null ? null : Buffer.buffer(body.toString()), 2 * timeoutMs);
  }

  @Override
  public void close() {
    client.close();
  }
}
