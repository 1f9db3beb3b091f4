package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Timeouts of slow and idle clients, the limit of connections, and draining.
@Tag("slow")
class ConnectionTimeoutTest {
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String PLAIN = "GET /plain HTTP/1.1\r\nHost: x\r\n\r\n";

  private static TestServer server(Duration idle, Duration receive) {
    return TestServer.of(
        HttpConfig.defaults().withTimeouts(idle, receive, LONG),
        Route.get("/plain", _ -> Future.succeededFuture(Reply.text(200, "fine"))),
        Route.post("/echo", r -> Future.succeededFuture(Reply.bytes(200, "text/plain", r.body()))));
  }

  @Test
  @Execution(CONCURRENT)
  void aConnectionWithoutARequestIsClosed() {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  @Execution(CONCURRENT)
  void anIncompleteHeadTimesOut() {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      client.write("GET /plain HTTP/1.1\r\nHost: ");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  @Execution(CONCURRENT)
  void anIncompleteBodyTimesOut() {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      client.write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
      assertThat(client.readAll()).isEmpty();
    }
  }

  /// Nothing reads the body of a request that was refused by its head.
  @ParameterizedTest
  @ValueSource(strings = {"POST /nowhere", "POST /plain", "GET /plain%zz"})
  @Execution(CONCURRENT)
  void anIncompleteBodyOfARefusedRequestTimesOut(String target) {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      client.write(target + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
      // Empty if the request came too late, as it may on a busy machine.
      assertThat(client.readAll()).matches("(?s)HTTP/1\\.1 4.*|");
    }
  }

  @Test
  void aRefusedRequestWithItsWholeBodyKeepsTheConnection() {
    try (TestServer server = server(LONG, LONG);
        RawClient client = new RawClient(server.port())) {
      client.write("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
      assertThat(client.readReply()).startsWith("HTTP/1.1 404");
      assertThat(client.write("bc" + PLAIN).readReply()).endsWith("fine");
    }
  }

  @Test
  @Execution(CONCURRENT)
  void anIdleConnectionIsClosedAfterItsReply() {
    try (TestServer server = server(SHORT, LONG);
        RawClient client = new RawClient(server.port())) {
      // Sent together, so that the second cannot be late.
      client.write(PLAIN + PLAIN);
      assertThat(client.readReply()).endsWith("fine");
      assertThat(client.readReply()).endsWith("fine");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void connectionsBeyondTheLimitAreClosedImmediately() {
    HttpConfig config = HttpConfig.defaults().withMaxConnections(2);
    try (TestServer server =
        TestServer.of(
            config, Route.get("/plain", _ -> Future.succeededFuture(Reply.text(200, "fine"))))) {
      try (RawClient one = new RawClient(server.port());
          RawClient two = new RawClient(server.port())) {
        assertThat(one.write(PLAIN).readReply()).endsWith("fine");
        assertThat(two.write(PLAIN).readReply()).endsWith("fine");
        try (RawClient three = new RawClient(server.port())) {
          assertThat(three.write(PLAIN).readAll()).isEmpty();
        }
        assertThat(one.write(PLAIN).readReply()).endsWith("fine");
      }
    }
  }

  @Test
  void drainingFinishesRunningRequestsAndRefusesNewConnections() throws Exception {
    BlockingQueue<Promise<Reply>> waiting = new LinkedBlockingQueue<>();
    try (TestServer server =
        TestServer.of(
            Route.get(
                "/slow",
                _ -> {
                  Promise<Reply> answer = Promise.promise();
                  waiting.add(answer);
                  return answer.future();
                }),
            Route.get("/plain", _ -> Future.succeededFuture(Reply.text(200, "fine"))))) {
      try (RawClient running = new RawClient(server.port());
          RawClient idle = new RawClient(server.port())) {
        assertThat(idle.write(PLAIN).readReply()).endsWith("fine");
        running.write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
        Promise<Reply> answer = waiting.take();
        CompletableFuture<Void> drained =
            server.server.drain(LONG).toCompletionStage().toCompletableFuture();
        assertThat(idle.readAll()).isEmpty();
        assertThat(drained).isNotDone();
        // Event loops stop listening independently of each other.
        Eventually.await("new connections are refused", () -> refuses(server.port()));
        answer.complete(Reply.text(200, "late"));
        assertThat(running.readReply()).contains("connection: close").endsWith("late");
        assertThat(running.readAll()).isEmpty();
        assertThat(drained).succeedsWithin(Duration.ofSeconds(60));
      }
    }
  }

  @Test
  @Execution(CONCURRENT)
  void drainingClosesRequestsThatNeverEnd() {
    CountDownLatch asked = new CountDownLatch(1);
    try (TestServer server =
        TestServer.of(
            Route.get(
                "/never",
                _ -> {
                  asked.countDown();
                  return Promise.<Reply>promise().future();
                }))) {
      try (RawClient client = new RawClient(server.port())) {
        client.write("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(awaited(asked)).isTrue();
        assertThat(server.server.drain(SHORT).toCompletionStage().toCompletableFuture())
            .succeedsWithin(Duration.ofSeconds(60));
        assertThat(client.readAll()).isEmpty();
      }
    }
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean refuses(int port) {
    try (RawClient _ = new RawClient(port)) {
      return false;
    } catch (RuntimeException refused) {
      return String.valueOf(refused.getMessage()).contains("refused");
    }
  }
}
