package fairgate.bench.soak;

import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/// Calls the server as anybody, from any address: it poses as the proxy in front.
final class Caller implements AutoCloseable {
  private static final int CONNECTIONS = 200;
  private static final int STREAMS = 5_000;
  private static final long TIMEOUT_MS = 10_000;

  private final CrowdClient http;
  private final HttpClient streams;
  private final int port;
  private final Tally tally;
  private final AtomicInteger flying = new AtomicInteger();

  Caller(Vertx vertx, int port, Tally tally) {
    this.port = port;
    this.tally = tally;
    this.http = new CrowdClient(vertx, CONNECTIONS);
    this.streams =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAliveTimeout(30),
            new PoolOptions().setHttp1MaxSize(STREAMS).setMaxWaitQueueSize(-1));
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
  Future<Answer> call(
      Act act,
      String method,
      String path,
      String address,
      Map<String, String> headers,
      String body) {
    flying.incrementAndGet();
    long sent = System.nanoTime();
    RequestOptions request =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(method))
            .setHost("127.0.0.1")
            .setPort(port)
            .setURI(path)
            .setTimeout(TIMEOUT_MS)
            .putHeader("X-Forwarded-For", address)
            .putHeader("User-Agent", "Mozilla/5.0 (soak)");
    headers.forEach(request::putHeader);
    if (!body.isEmpty()) {
      request.putHeader("Content-Type", "application/json");
    }
    return http.call(request, body.isEmpty() ? null : Buffer.buffer(body), 2 * TIMEOUT_MS)
        .onSuccess(
            answer -> {
              flying.decrementAndGet();
              tally.done(act, answer.status(), System.nanoTime() - sent);
            });
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
