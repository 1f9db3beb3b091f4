package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Event streams as received by a client.
@SuppressWarnings("NullAway.Init")
class EventStreamTest {
  private static final String GET = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final int MEGABYTE = 1024 * 1024;

  private final BlockingQueue<EventStream> opened = new LinkedBlockingQueue<>();
  private TestServer server;

  @BeforeEach
  void start() {
    server = server(Duration.ofMinutes(5));
  }

  private TestServer server(Duration heartbeat) {
    HttpConfig config =
        HttpConfig.defaults().withTimeouts(Duration.ofMinutes(5), Duration.ofMinutes(5), heartbeat);
    return TestServer.of(
        config,
        Route.get("/events", _ -> Future.succeededFuture(Reply.events(opened::add))),
        Route.get("/plain", _ -> Future.succeededFuture(Reply.text(200, "fine"))));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private EventStream next() throws InterruptedException {
    EventStream stream = opened.poll(60, TimeUnit.SECONDS);
    if (stream == null) {
      throw new IllegalStateException("no stream was opened");
    }
    return stream;
  }

  @Test
  void eventsAreFormattedAsServerSentEvents() throws InterruptedException {
    try (RawClient client = new RawClient(server.port())) {
      String head = client.write(GET).readUntil("\r\n\r\n");
      assertThat(head)
          .contains("content-type: text/event-stream")
          .contains("cache-control: no-store")
          .contains("x-accel-buffering: no");
      EventStream stream = next();
      assertThat(stream.send("7", "status", "{\"a\":1}")).isTrue();
      assertThat(client.readUntil("{\"a\":1}\n\n"))
          .contains("id: 7\nevent: status\ndata: {\"a\":1}");
      assertThat(stream.send("", "", "two\nlines")).isTrue();
      assertThat(client.readUntil("lines\n\n"))
          .contains("data: two\ndata: lines\n\n")
          .doesNotContain("id:");
      assertThat(stream.send("1\n2", "a\r\nb", "x")).isTrue();
      assertThat(client.readUntil("data: x\n\n")).contains("id: 1 2\nevent: a  b\n");
    }
  }

  @Test
  void aSilentStreamSendsHeartbeats() {
    try (TestServer quick = server(Duration.ofMillis(200));
        RawClient client = new RawClient(quick.port())) {
      assertThat(client.write(GET).readUntil("\n:\n\n")).isNotEmpty();
      assertThat(client.readUntil(":\n\n")).isNotEmpty();
    }
  }

  @Test
  void theCloseActionRunsOnceOnEitherSidesClose() throws InterruptedException {
    CountDownLatch gone = new CountDownLatch(1);
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write(GET).readUntil("retry: 2000\n\n")).isNotEmpty();
      EventStream stream = next();
      stream.onClose(gone::countDown);
      assertThat(stream.closed()).isFalse();
    }
    assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();

    CountDownLatch closed = new CountDownLatch(1);
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write(GET).readUntil("retry: 2000\n\n")).isNotEmpty();
      EventStream stream = next();
      stream.onClose(() -> calls.add("first"));
      stream.close();
      stream.close();
      stream.onClose(closed::countDown);
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(calls).containsExactly("first");
      assertThat(stream.closed()).isTrue();
      assertThat(stream.send("", "", "late")).isFalse();
      assertThat(client.readUntil("0\r\n\r\n")).endsWith("0\r\n\r\n");
      client.write("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply()).endsWith("fine");
    }
  }

  @Test
  void eventsForAClientThatDoesNotReadAreSkipped() throws InterruptedException {
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write(GET).readUntil("retry: 2000\n\n")).isNotEmpty();
      EventStream stream = next();
      String big = "x".repeat(MEGABYTE);
      boolean skipped = false;
      for (int i = 0; i < 500 && !skipped; i++) {
        skipped = !stream.send("", "", big);
      }
      assertThat(skipped).isTrue();
      assertThat(stream.closed()).isFalse();
    }
  }

  @Test
  void aHeadRequestOpensNoStream() {
    assertThat(server.send("HEAD", "/events").statusCode()).isEqualTo(200);
    assertThat(opened).isEmpty();
  }

  @Test
  void drainingEndsStreamsWithATimeToReconnect() throws Exception {
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write(GET).readUntil("retry: 2000\n\n")).isNotEmpty();
      assertThat(next().closed()).isFalse();
      var drained =
          server.server.drain(Duration.ofSeconds(5)).toCompletionStage().toCompletableFuture();
      assertThat(client.readAll()).containsPattern("retry: [1-5]\\d{3}\n\n");
      Void _ = drained.get(60, TimeUnit.SECONDS);
    }
  }
}
