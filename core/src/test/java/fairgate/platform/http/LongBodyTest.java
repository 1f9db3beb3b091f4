package fairgate.platform.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.stream.ResponseBodyStream;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Streamed request and response bodies.
@Tag("slow")
class LongBodyTest {
  private static final int MEGABYTE = 1 << 20;
  private static final int LIMIT = 64 * MEGABYTE;

  /// Replies with the number of bytes received and their sum.
  private static Reply count(Request request) throws IOException {
    long length = 0;
    long sum = 0;
    byte[] piece = new byte[5000];
    InputStream in = request.bodyStream();
    for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
      length += n;
      for (int i = 0; i < n; i++) {
        sum += piece[i];
      }
    }
    return Reply.text(200, length + " " + sum);
  }

  private static TestServer upload() {
    return TestServer.of(
        Route.blockingPost("/count", LongBodyTest::count).withStreamedBody(LIMIT),
        Route.blockingPost("/refuse", _ -> Reply.text(403, "no")).withStreamedBody(LIMIT));
  }

  @Test
  void aLongBodyArrivesCompletely() {
    byte[] body = new byte[24 * MEGABYTE + 7];
    Arrays.fill(body, (byte) 3);
    try (TestServer server = upload()) {
      assertThat(server.post("/count", body).body())
          .isEqualTo(body.length + " " + 3L * body.length);
      assertThat(server.send("POST", "/count").body()).isEqualTo("0 0");
    }
  }

  @Test
  void aBodyThatIsTooLongIsRefused() {
    try (TestServer server =
        TestServer.of(
            Route.blockingPost("/count", LongBodyTest::count).withStreamedBody(MEGABYTE))) {
      assertThat(server.post("/count", new byte[2 * MEGABYTE]).statusCode()).isEqualTo(400);
      HttpRequest chunked =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/count"))
              .POST(
                  HttpRequest.BodyPublishers.concat(
                      HttpRequest.BodyPublishers.ofByteArray(new byte[MEGABYTE]),
                      HttpRequest.BodyPublishers.ofInputStream(
                          () -> new java.io.ByteArrayInputStream(new byte[100]))))
              .build();
      HttpResponse<String> answer =
          server.client.sendAsync(chunked, HttpResponse.BodyHandlers.ofString()).join();
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("INVALID_REQUEST", "1048576");
    }
  }

  @Test
  void aClientRefusedByItsHeadNeedNotSendTheBody() {
    try (TestServer server = upload();
        RawClient client = new RawClient(server.port())) {
      client.write("POST /refuse HTTP/1.1\r\nHost: x\r\n");
      client.write("Expect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
      assertThat(client.readAll()).startsWith("HTTP/1.1 403").contains("connection: close");
    }
  }

  @Test
  void aClientThatExpectsContinueReceivesIt() {
    try (TestServer server = upload();
        RawClient client = new RawClient(server.port())) {
      client.write(
          "POST /count HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
      assertThat(client.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100");
      client.write("\1\1\1");
      assertThat(client.readReply()).endsWith("3 3");
    }
  }

  @Test
  void aStalledBodyTimesOut() {
    Duration shortTime = Duration.ofSeconds(2);
    HttpConfig config =
        HttpConfig.defaults().withTimeouts(Duration.ofMinutes(5), shortTime, Duration.ofMinutes(5));
    try (TestServer server =
            TestServer.of(
                config, Route.blockingPost("/count", LongBodyTest::count).withStreamedBody(LIMIT));
        RawClient client = new RawClient(server.port())) {
      client.write("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
      assertThat(client.readAll()).startsWith("HTTP/1.1 400").contains("INVALID_REQUEST");
    }
  }

  private static void lines(OutputStream out, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      out.write("line %07d\n".formatted(i).getBytes(StandardCharsets.US_ASCII));
    }
  }

  @Test
  void aLongReplyIsSentCompletely() {
    try (TestServer server =
        TestServer.of(
            Route.blockingGet("/lines", _ -> Reply.stream(200, "text/csv", o -> lines(o, 500_000)))
                .withBodyLimit(0))) {
      HttpResponse<String> answer = server.get("/lines");
      assertThat(answer.headers().firstValue("content-type")).contains("text/csv");
      assertThat(answer.headers().firstValue("cache-control")).contains("no-store");
      assertThat(answer.body()).hasSize(500_000 * 13).endsWith("line 0499999\n");
      assertThat(server.send("HEAD", "/lines").body()).isEmpty();
    }
  }

  @Test
  void aReplyThatFailsBeforeItsFirstPartIsRefusedAsAnyOther() {
    try (TestServer server =
        TestServer.of(
            Route.blockingGet(
                "/away",
                _ ->
                    Reply.stream(
                        200,
                        "text/csv",
                        out -> {
                          lines(out, 100);
                          throw new ServiceUnavailable("on purpose", Duration.ofSeconds(1));
                        })),
            Route.blockingGet("/nothing", _ -> Reply.stream(200, "text/csv", _ -> {})))) {
      HttpResponse<String> refused = server.get("/away");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("SERVICE_UNAVAILABLE").doesNotContain("line");
      assertThat(refused.headers().firstValue("content-type").orElse("")).contains("json");
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      // The connection serves further requests.
      HttpResponse<String> empty = server.get("/nothing");
      assertThat(empty.statusCode()).isEqualTo(200);
      assertThat(empty.body()).isEmpty();
      assertThat(empty.headers().firstValue("content-type")).contains("text/csv");
    }
  }

  @Test
  void aTruncatedReplyFailsAtTheClient() {
    try (TestServer server =
        TestServer.of(
            Route.blockingGet(
                "/broken",
                _ ->
                    Reply.stream(
                        200,
                        "text/csv",
                        out -> {
                          lines(out, 10_000);
                          throw new IOException("on purpose");
                        })))) {
      assertThatThrownBy(() -> server.get("/broken")).hasRootCauseInstanceOf(IOException.class);
    }
  }

  /// A client of HTTP/1.0 has no other sign than the error of its socket: an ordinary end would
  /// mean that the body is complete.
  @Test
  void aTruncatedReplyIsAnErrorForHttp10() throws IOException {
    Reply broken =
        Reply.stream(
            200,
            "text/csv",
            out -> {
              lines(out, 10_000);
              throw new IOException("on purpose");
            });
    try (TestServer server = TestServer.of(Route.blockingGet("/broken", _ -> broken));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write("GET /broken HTTP/1.0\r\n\r\n".getBytes(US_ASCII));
      assertThatThrownBy(() -> socket.getInputStream().readAllBytes())
          .isInstanceOf(SocketException.class);
      assertThat(server.metrics.scrape())
          .containsPattern("fairgate_http_truncated_total(\\{[^}]*})? 1\\.0");
    }
  }

  @Test
  void aReplyThatDoesNotBeginBeforeItsDeadlineIsRefused() {
    CountDownLatch hanging = new CountDownLatch(1);
    Reply late =
        Reply.stream(
            200,
            "text/csv",
            out -> {
              awaitUninterruptibly(hanging);
              lines(out, 10_000);
            });
    try (TestServer server =
        TestServer.of(Route.blockingGet("/late", _ -> late).withDeadline(Duration.ofMillis(200)))) {
      HttpResponse<String> refused = server.get("/late");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      hanging.countDown();
      // What the late body writes is dropped.
      Eventually.await("in time", () -> server.send("HEAD", "/late").statusCode() == 200);
      HttpResponse<String> inTime =
          Eventually.get(
              "in time", () -> server.get("/late"), answer -> answer.statusCode() == 200);
      assertThat(inTime.body()).hasSize(10_000 * 13);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aClientThatGoesAwayIsNoFailureOfTheServer() {
    BlockingQueue<Exception> failures = new LinkedBlockingQueue<>();
    Reply endless =
        Reply.stream(
            200,
            "text/csv",
            out -> {
              try {
                lines(out, Integer.MAX_VALUE);
              } catch (IOException e) {
                failures.add(e);
                throw new UncheckedIOException(e);
              }
            });
    try (TestServer server = TestServer.of(Route.blockingGet("/endless", _ -> endless))) {
      try (RawClient client = new RawClient(server.port())) {
        client.write("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(client.readUntil("line 0000100")).contains("200 OK");
      }
      Eventually.await("the body has ended", () -> !failures.isEmpty());
      assertThat(failures).hasOnlyElementsOfType(ResponseBodyStream.ClientGone.class);
      assertThat(server.get("/none").statusCode()).isEqualTo(404);
      assertThat(server.metrics.scrape())
          .containsPattern("fairgate_http_truncated_total(\\{[^}]*})? 0\\.0");
    }
  }
}
