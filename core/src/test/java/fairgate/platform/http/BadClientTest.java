package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Clients that close their half, send single bytes or read nothing: every connection ends, and
/// every complete request is answered.
@SuppressWarnings("NullAway.Init")
class BadClientTest {
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int MEGABYTE = 1024 * 1024;
  private static final int LOOPS = 4 * Runtime.getRuntime().availableProcessors();

  private final BlockingQueue<Promise<Reply>> waiting = new LinkedBlockingQueue<>();
  private final BlockingQueue<EventStream> opened = new LinkedBlockingQueue<>();
  private TestServer server;

  private void start(Duration idle, Duration receive, Duration heartbeat) {
    start(HttpConfig.defaults().withTimeouts(idle, receive, heartbeat));
  }

  private void start(HttpConfig config) {
    server =
        TestServer.of(
            config,
            Route.get("/plain", _ -> Future.succeededFuture(Reply.text(200, "fine"))),
            Route.get("/late", _ -> late()),
            Route.get("/events", _ -> Future.succeededFuture(Reply.events(opened::add))),
            Route.get(
                "/big",
                _ ->
                    Future.succeededFuture(
                        Reply.bytes(200, "text/plain", new byte[16 * MEGABYTE]))),
            Route.post(
                "/echo", r -> Future.succeededFuture(Reply.bytes(200, "text/plain", r.body()))),
            Route.blockingPost(
                    "/count",
                    r -> Reply.text(200, Integer.toString(r.bodyStream().readAllBytes().length)))
                .withStreamedBody(MEGABYTE));
  }

  private Future<Reply> late() {
    Promise<Reply> answer = Promise.promise();
    waiting.add(answer);
    return answer.future();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }

  /// Afterwards every event loop has processed earlier input.
  private void honestClientsAreServed() {
    for (int i = 0; i < LOOPS; i++) {
      try (RawClient honest = new RawClient(server.port())) {
        assertThat(honest.write(get("/plain")).readReply()).endsWith("fine");
      }
    }
  }

  private int connections() {
    return (int)
        Double.parseDouble(
            server
                .metrics
                .scrape()
                .lines()
                .filter(line -> line.startsWith("fairgate_http_connections "))
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .findFirst()
                .orElse("-1"));
  }

  private void noConnectionIsLeft() {
    connectionsBecome(0);
  }

  private void connectionsBecome(int count) {
    Eventually.await(count + " connections", () -> connections() == count);
  }

  private Promise<Reply> asked() throws InterruptedException {
    Promise<Reply> answer = waiting.poll(60, TimeUnit.SECONDS);
    if (answer == null) {
      throw new IllegalStateException("nobody asked");
    }
    return answer;
  }

  @Test
  void aHalfClosedConnectionReceivesItsReply() throws InterruptedException {
    start(LONG, LONG, LONG);
    try (RawClient client = new RawClient(server.port())) {
      client.write(get("/late"));
      Promise<Reply> answer = asked();
      client.sendsNoMore();
      honestClientsAreServed();
      answer.complete(Reply.text(200, "late"));
      assertThat(client.readAll()).startsWith("HTTP/1.1 200 ").endsWith("late");
      noConnectionIsLeft();
    }
  }

  @Test
  void aConnectionHalfClosedWithTheRequestReceivesItsReply() {
    start(LONG, LONG, LONG);
    for (int i = 0; i < 50; i++) {
      try (RawClient client = new RawClient(server.port())) {
        client.write(get("/plain") + get("/plain"));
        client.sendsNoMore();
        assertThat(client.readAll().split("fine", -1)).hasSize(3);
      }
    }
    try (RawClient client = new RawClient(server.port())) {
      client.write("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
      client.sendsNoMore();
      assertThat(client.readAll()).startsWith("HTTP/1.1 200 ").endsWith("3");
    }
    noConnectionIsLeft();
  }

  @Test
  void aConnectionHalfClosedBeforeTheRequestIsCompleteIsClosed() {
    start(LONG, LONG, LONG);
    try (RawClient silent = new RawClient(server.port());
        RawClient head = new RawClient(server.port());
        RawClient body = new RawClient(server.port());
        RawClient streamed = new RawClient(server.port());
        RawClient served = new RawClient(server.port())) {
      silent.sendsNoMore();
      assertThat(silent.readAll()).isEmpty();
      head.write("GET /plain HTTP/1.1\r\nHost: ").sendsNoMore();
      assertThat(head.readAll()).matches("(?s)HTTP/1\\.[01] 400 .*|");
      body.write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc").sendsNoMore();
      assertThat(body.readAll()).isEmpty();
      streamed.write("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
      streamed.sendsNoMore();
      assertThat(streamed.readAll()).startsWith("HTTP/1.1 400 ").contains("INVALID_REQUEST");
      assertThat(served.write(get("/plain")).readReply()).endsWith("fine");
      served.sendsNoMore();
      assertThat(served.readAll()).isEmpty();
      noConnectionIsLeft();
    }
  }

  @Test
  void anEventStreamEndsWhenItsReaderDisconnects() throws InterruptedException {
    start(LONG, LONG, LONG);
    CountDownLatch gone = new CountDownLatch(1);
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write(get("/events")).readUntil("retry: 2000\n\n")).isNotEmpty();
      EventStream stream = opened.poll(60, TimeUnit.SECONDS);
      assertThat(stream).isNotNull();
      stream.onClose(gone::countDown);
      client.sendsNoMore();
      assertThat(gone.await(60, TimeUnit.SECONDS)).isTrue();
      noConnectionIsLeft();
    }
  }

  @Test
  void aClientThatReadsNothingIsDisconnected() {
    start(SHORT, SHORT, LONG);
    try (RawClient one = new RawClient(server.port());
        RawClient many = new RawClient(server.port())) {
      one.write(get("/big"));
      many.write(get("/big").repeat(50));
      honestClientsAreServed();
      noConnectionIsLeft();
      Eventually.await(
          "both are counted",
          () -> server.metrics.scrape().contains("fairgate_http_cut_total 2.0"));
    }
  }

  @Test
  void aSlowReaderReceivesTheWholeReply() {
    start(SHORT, SHORT, LONG);
    try (RawClient client = new RawClient(server.port())) {
      client.write(get("/big"));
      String head = client.readUntil("\r\n\r\n");
      assertThat(head).contains("content-length: " + 16 * MEGABYTE);
      long end = System.nanoTime() + 2 * SHORT.toNanos();
      int read = 0;
      while (read < 16 * MEGABYTE) {
        read += client.readBytes(MEGABYTE).length();
        // Longer than both timeouts in total, but each pause is much shorter.
        LockSupport.parkNanos((end - System.nanoTime()) / 16);
      }
      assertThat(read).isEqualTo(16 * MEGABYTE);
    }
  }

  @Test
  void anEventStreamWithoutAReaderIsClosed() throws InterruptedException {
    start(LONG, SHORT, Duration.ofMillis(50));
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write(get("/events")).readUntil("retry: 2000\n\n")).isNotEmpty();
      EventStream stream = opened.poll(60, TimeUnit.SECONDS);
      assertThat(stream).isNotNull();
      String big = "x".repeat(MEGABYTE);
      // Ends when a write fails on the closed stream, or after more data than any buffer holds.
      int sent = 0;
      while (sent < 500 && stream.send("", "", big)) {
        sent++;
      }
      honestClientsAreServed();
      noConnectionIsLeft();
      assertThat(stream.closed()).isTrue();
    }
  }

  @Test
  void singleBytesDoNotExtendTheTimeout() {
    start(LONG, SHORT, LONG);
    try (RawClient head = new RawClient(server.port());
        RawClient body = new RawClient(server.port())) {
      body.write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
      head.write("GET /plain HTTP/1.1\r\nX-Long: ");
      connectionsBecome(2);
      Eventually.await(
          "both are cut off",
          () -> {
            head.write("x");
            body.write("x");
            return connections() == 0;
          });
      honestClientsAreServed();
    }
  }

  @Test
  void idleConnectionsAreClosedBeforeTheLimitIsReached() {
    HttpConfig config =
        HttpConfig.defaults().withTimeouts(LONG, SHORT, LONG).withMaxConnections(10);
    start(config);
    RawClient[] idle = new RawClient[10];
    for (int i = 0; i < idle.length; i++) {
      idle[i] = new RawClient(server.port());
      assertThat(idle[i].write(get("/plain")).readReply()).endsWith("fine");
    }
    Eventually.await("room for another", () -> connections() <= 9);
    try (RawClient honest = new RawClient(server.port())) {
      assertThat(honest.write(get("/plain")).readReply()).endsWith("fine");
    }
    assertThat(server.metrics.scrape()).contains("fairgate_http_turned_away_total 0.0");
    for (RawClient client : idle) {
      client.close();
    }
  }
}
