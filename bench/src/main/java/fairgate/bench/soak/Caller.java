package fairgate.bench.soak;

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
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Calls the server as anybody, from any address: it poses as the proxy in front.
final class Caller implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int CONNECTIONS = 200;
  private static final int STREAMS = 5_000;
  private static final long TIMEOUT_MS = 10_000;

  private final HttpClient http;
  private final HttpClient streams;
  private final int port;
  private final Tally tally;
  private final AtomicInteger flying = new AtomicInteger();

  /// @param body empty when it was not JSON, or none came
  record Said(int status, JsonNode body) {
    String text(String name) {
      return body.path(name).asText("");
    }
  }

  Caller(Vertx vertx, int port, Tally tally) {
    this.port = port;
    this.tally = tally;
    this.http = client(vertx, CONNECTIONS);
    this.streams = client(vertx, STREAMS);
  }

  private static HttpClient client(Vertx vertx, int connections) {
    return vertx.createHttpClient(
        new HttpClientOptions().setKeepAliveTimeout(30),
        new PoolOptions().setHttp1MaxSize(connections).setMaxWaitQueueSize(-1));
  }

  /// An address out of two million.
  static String anyAddress() {
    ThreadLocalRandom chance = ThreadLocalRandom.current();
    return "%d.%d.%d.%d"
        .formatted(
            chance.nextInt(11, 43), chance.nextInt(256), chance.nextInt(256), chance.nextInt(1, 2));
  }

  /// How many calls wait for their answer.
  int flying() {
    return flying.get();
  }

  /// Calls; the future never fails.
  ///
  /// @param body JSON, or empty
  Future<Said> call(
      Act act,
      String method,
      String path,
      String address,
      Map<String, String> headers,
      String body) {
    flying.incrementAndGet();
    long sent = System.nanoTime();
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(method))
            .setHost("127.0.0.1")
            .setPort(port)
            .setURI(path)
            .setTimeout(TIMEOUT_MS);
    return Future.succeededFuture(options)
        .compose(http::request)
        // The body is requested on the event loop that receives the head, otherwise it may be
        // missed.
        .compose(request -> send(request, address, headers, body).compose(Caller::said))
        .timeout(2 * TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .otherwise(_ -> new Said(0, MissingNode.getInstance()))
        .onSuccess(
            said -> {
              flying.decrementAndGet();
              tally.done(act, said.status(), System.nanoTime() - sent);
            });
  }

  private static Future<HttpClientResponse> send(
      HttpClientRequest request, String address, Map<String, String> headers, String body) {
    request.putHeader("X-Forwarded-For", address);
    request.putHeader("User-Agent", "Mozilla/5.0 (soak)");
    headers.forEach(request::putHeader);
    if (body.isEmpty()) {
      return request.send();
    }
    request.putHeader("Content-Type", "application/json");
    return request.send(Buffer.buffer(body));
  }

  private static Future<Said> said(HttpClientResponse response) {
    return response.body().map(body -> new Said(response.statusCode(), parsed(body)));
  }

  private static JsonNode parsed(Buffer body) {
    if (body.length() == 0 || body.getByte(0) != '{') {
      return MissingNode.getInstance();
    }
    try {
      return JSON.readTree(body.getBytes());
    } catch (IOException notJson) {
      return MissingNode.getInstance();
    }
  }

  /// An event stream of a place, which stays open.
  ///
  /// @param ended run when the server ends it
  Future<HttpClientRequest> stream(String session, String address, Runnable ended) {
    long sent = System.nanoTime();
    RequestOptions options =
        new RequestOptions().setHost("127.0.0.1").setPort(port).setURI("/api/queue/stream");
    return Future.succeededFuture(options)
        .compose(streams::request)
        .compose(
            request ->
                request
                    .putHeader("X-Forwarded-For", address)
                    .putHeader("X-Session-Id", session)
                    .send()
                    .map(
                        response -> {
                          response.exceptionHandler(_ -> {});
                          response.handler(_ -> {});
                          response.endHandler(_ -> ended.run());
                          tally.done(Act.STREAM, response.statusCode(), System.nanoTime() - sent);
                          return request;
                        }))
        .onFailure(_ -> tally.done(Act.STREAM, 0, 0));
  }

  @Override
  public void close() {
    http.close();
    streams.close();
  }
}
