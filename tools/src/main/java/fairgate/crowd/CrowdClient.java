package fairgate.crowd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The HTTP client of all simulated people, who share its connections. A call without a reply is an
/// answer of status 0, never an exception.
public final class CrowdClient implements AutoCloseable {
  /// The solution that the `test` challenge accepts.
  public static final String TEST_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

  /// The answer to a call without a reply.
  public static final Answer NO_ANSWER = new Answer(0, MissingNode.getInstance());

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http;

  public CrowdClient(Vertx vertx, int connections) {
    this.http =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAliveTimeout(60),
            new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(-1));
  }

  /// Sends a call; the future never fails.
  ///
  /// @param request with headers, and with the maximum time until the head of the reply
  /// @param maxMs time until the end of the reply, the wait for a connection included
  public Future<Answer> call(RequestOptions request, @Nullable Buffer body, long maxMs) {
    return call(request, body, maxMs, _ -> {});
  }

  /// @param head sees the head of the reply
  public Future<Answer> call(
      RequestOptions request,
      @Nullable Buffer body,
      long maxMs,
      Consumer<HttpClientResponse> head) {
    return asked(request)
        // The body is requested on the event loop that receives the head. A caller's thread could
        // be late, miss the body, and wait for ever.
        .compose(
            sent ->
                (body == null ? sent.send() : sent.send(body))
                    .compose(
                        response -> {
                          head.accept(response);
                          return response
                              .body()
                              .map(bytes -> new Answer(response.statusCode(), parse(bytes)));
                        }))
        .timeout(maxMs, TimeUnit.MILLISECONDS)
        .otherwise(NO_ANSWER);
  }

  /// The future has the event loop of the connection, on which the next steps run: `compose` of a
  /// future without one could run them on the caller's thread. Whoever calls after the end gets no
  /// answer, rather than an exception.
  private Future<HttpClientRequest> asked(RequestOptions request) {
    try {
      return http.request(request);
    } catch (IllegalStateException closed) {
      return Future.failedFuture(closed);
    }
  }

  private static JsonNode parse(Buffer bytes) {
    // Most replies that are no JSON are pages.
    if (bytes.length() == 0 || bytes.getByte(0) == '<') {
      return MissingNode.getInstance();
    }
    try {
      return JSON.readTree(bytes.getBytes());
    } catch (IOException notJson) {
      return MissingNode.getInstance();
    }
  }

  @Override
  public void close() {
    var _ = http.close();
  }
}
