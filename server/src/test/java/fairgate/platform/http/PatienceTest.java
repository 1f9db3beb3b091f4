package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Slow and idle clients, too many of them, and the end of the server.
class PatienceTest {
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final String PLAIN = "GET /plain HTTP/1.1\r\nHost: x\r\n\r\n";

  private static TestServer server(Duration idle, Duration receive) {
    return TestServer.of(
        HttpConfig.defaults().patience(idle, receive, LONG),
        Route.get("/plain", _ -> Future.succeededFuture(Reply.text(200, "fine"))),
        Route.post("/echo", r -> Future.succeededFuture(Reply.bytes(200, "text/plain", r.body()))));
  }

  @Test
  void aConnectionThatAsksNothingIsClosed() {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void aHeadThatDripsIsCutOff() {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      client.write("GET /plain HTTP/1.1\r\nHost: ");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void aBodyThatDripsIsCutOff() {
    try (TestServer server = server(LONG, SHORT);
        RawClient client = new RawClient(server.port())) {
      client.write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void anIdleConnectionIsClosedAfterItsAnswer() {
    try (TestServer server = server(SHORT, LONG);
        RawClient client = new RawClient(server.port())) {
      assertThat(client.write(PLAIN).readReply()).endsWith("fine");
      assertThat(client.write(PLAIN).readReply()).endsWith("fine");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void furtherConnectionsAreClosedAtOnce() {
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
  void drainingLetsRunningRequestsFinishAndTakesNoNewOnes() throws Exception {
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
            server.server.drain(Duration.ofSeconds(8)).toCompletionStage().toCompletableFuture();
        assertThat(idle.readAll()).isEmpty();
        assertThat(drained).isNotDone();
        // Each event loop stops listening by itself.
        assertThat(refusedSoon(server.port())).as("new connections are refused").isTrue();
        answer.complete(Reply.text(200, "late"));
        assertThat(running.readReply()).contains("connection: close").endsWith("late");
        assertThat(running.readAll()).isEmpty();
        assertThat(drained).succeedsWithin(Duration.ofSeconds(5));
      }
    }
  }

  @Test
  void drainingGivesUpOnRequestsThatNeverEnd() {
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
            .succeedsWithin(Duration.ofSeconds(5));
        assertThat(client.readAll()).isEmpty();
      }
    }
  }

  private static boolean awaited(CountDownLatch latch) {
    try {
      return latch.await(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean refusedSoon(int port) {
    long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (System.nanoTime() < deadline) {
      try {
        new RawClient(port).close();
      } catch (RuntimeException refused) {
        return String.valueOf(refused.getMessage()).contains("refused");
      }
    }
    return false;
  }
}
