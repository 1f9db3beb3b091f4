package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;

/// Clients that close their half, send single bytes or read nothing: every connection ends, and
/// every complete request is answered.
@Tag("slow")
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
      servedClient().close();
    }
  }

  /// On a busy machine a request may arrive after a short timeout; then another client tries.
  private RawClient servedClient() {
    return Eventually.get("a served client", this::tryToBeServed, Optional::isPresent)
        .orElseThrow();
  }

  private Optional<RawClient> tryToBeServed() {
    RawClient client = new RawClient(server.port());
    if (client.write(get("/plain")).readReply().endsWith("fine")) {
      return Optional.of(client);
    }
    client.close();
    return Optional.empty();
  }

  private int connections() {
    return metric("fairgate_http_connections");
  }

  private int metric(String name) {
    return (int)
        Double.parseDouble(
            server
                .metrics
                .scrape()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .findFirst()
                .orElse("-1"));
  }

  private void noConnectionIsLeft() {
    Eventually.await("no connections", () -> connections() == 0);
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
  @Execution(CONCURRENT)
  void aClientThatReadsNothingIsDisconnected() {
    start(SHORT, SHORT, LONG);
    Eventually.await("both are counted", this::twoThatReadNothingAreCut);
  }

  /// On a busy machine a request may arrive after the timeout; then its client is not counted.
  private boolean twoThatReadNothingAreCut() {
    int before = metric("fairgate_http_cut_total");
    try (RawClient one = new RawClient(server.port());
        RawClient many = new RawClient(server.port())) {
      one.write(get("/big"));
      many.write(get("/big").repeat(50));
      honestClientsAreServed();
      noConnectionIsLeft();
      honestClientsAreServed();
      return metric("fairgate_http_cut_total") == before + 2;
    }
  }

  @Test
  @Execution(CONCURRENT)
  void aSlowReaderReceivesTheWholeReply() {
    start(SHORT, SHORT, LONG);
    // A busy machine may make a pause longer than the timeouts; then another client tries.
    Eventually.await("the whole reply", this::readsSlowly);
  }

  private boolean readsSlowly() {
    try (RawClient client = new RawClient(server.port())) {
      client.write(get("/big"));
      String head = client.readUntil("\r\n\r\n");
      if (!head.contains("content-length: " + 16 * MEGABYTE)) {
        return false;
      }
      long end = System.nanoTime() + 2 * SHORT.toNanos();
      for (int i = 0; i < 16; i++) {
        if (client.readBytes(MEGABYTE).length() < MEGABYTE) {
          return false;
        }
        // Longer than both timeouts in total, but each pause is much shorter.
        LockSupport.parkNanos((end - System.nanoTime()) / 16);
      }
      return true;
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  @Test
  void anEventStreamWithoutAReaderIsClosed() throws InterruptedException {
    start(LONG, SHORT, Duration.ofMillis(50));
    try (RawClient client = servedClient()) {
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
  @Execution(CONCURRENT)
  void singleBytesDoNotExtendTheTimeout() {
    start(LONG, SHORT, LONG);
    try (RawClient head = new RawClient(server.port());
        RawClient body = new RawClient(server.port())) {
      body.write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
      head.write("GET /plain HTTP/1.1\r\nX-Long: ");
      honestClientsAreServed();
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
      idle[i] = servedClient();
    }
    Eventually.await("room for another", () -> connections() <= 9);
    servedClient().close();
    assertThat(server.metrics.scrape()).contains("fairgate_http_turned_away_total 0.0");
    for (RawClient client : idle) {
      client.close();
    }
  }

  @Test
  void slowBodiesMakeRoomBeforeTheLimitIsReached() {
    int perLoop = 10;
    int limit = perLoop * Runtime.getRuntime().availableProcessors();
    Duration receive = Duration.ofSeconds(40);
    start(HttpConfig.defaults().withTimeouts(LONG, receive, LONG).withMaxConnections(limit));
    List<RawClient> slow = new ArrayList<>();
    for (int i = 0; i < limit; i++) {
      slow.add(new RawClient(server.port()));
      slow.getLast().write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nsl");
    }
    Eventually.await("room for others", () -> connections() <= limit - limit / 10);
    servedClient().close();
    // The others had time left.
    assertThat(slow)
        .filteredOn(client -> client.write("ow").readReply().endsWith("slow"))
        .hasSizeGreaterThan(limit / 2);
    assertThat(metric("fairgate_http_cut_total")).isZero();
    slow.forEach(RawClient::close);
  }

  @Test
  @Execution(CONCURRENT)
  void theMostCrowdedAddressMakesRoomFirst() {
    int limit = 40 * Runtime.getRuntime().availableProcessors();
    Duration receive = Duration.ofSeconds(20);
    start(HttpConfig.defaults().withTimeouts(LONG, receive, LONG).withMaxConnections(limit));
    List<RawClient> crowd = new ArrayList<>();
    List<RawClient> honest = new ArrayList<>();
    for (int i = 0; i < limit; i++) {
      boolean crowded = i < limit * 5 / 8;
      RawClient client = new RawClient(server.port(), crowded ? "127.0.0.2" : "127.0.0.1");
      assertThat(client.write(get("/plain")).readReply()).endsWith("fine");
      (crowded ? crowd : honest).add(client);
    }
    Eventually.await("room for others", () -> connections() <= limit - limit / 10);
    assertThat(honest).allMatch(client -> client.write(get("/plain")).readReply().endsWith("fine"));
    crowd.forEach(RawClient::close);
    honest.forEach(RawClient::close);
  }
}
