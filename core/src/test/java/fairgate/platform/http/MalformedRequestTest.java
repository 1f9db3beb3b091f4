package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Malformed requests are answered with a 4xx, and the server keeps running.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class MalformedRequestTest {
  private static final int LIMIT = 1000;

  private TestServer server;

  @BeforeAll
  void start() {
    server =
        TestServer.of(
            Route.get("/plain", _ -> reply("fine")),
            Route.get("/things/{id}", r -> reply(r.pathParam("id"))),
            Route.get("/api/plain", _ -> reply("fine")),
            Route.post("/json", r -> reply(r.json().text("name"))).withBodyLimit(LIMIT));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static Future<Reply> reply(String value) {
    return Future.succeededFuture(Reply.json(200, JsonText.object().put("value", value).bytes()));
  }

  @Test
  void aBodyUpToTheLimitIsTaken() {
    String frame = "{\"name\":\"\"}";
    String body = "{\"name\":\"" + "x".repeat(LIMIT - frame.length()) + "\"}";
    assertThat(server.post("/json", body).statusCode()).isEqualTo(200);
    HttpResponse<String> over = server.post("/json", body + " ", "accept-language", "en");
    assertThat(over.statusCode()).isEqualTo(400);
    assertThat(over.body()).contains("larger than the allowed 1000 bytes");
  }

  @Test
  void aDeclaredLengthBeyondTheLimitIsRefusedAtOnce() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
      assertThat(client.readReply())
          .startsWith("HTTP/1.1 400 ")
          .containsIgnoringCase("connection: close")
          .contains("INVALID_REQUEST");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void aStreamBeyondTheLimitIsRefusedAtOnce() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.write("400\r\n" + "x".repeat(1024) + "\r\n");
      assertThat(client.readReply()).startsWith("HTTP/1.1 400 ").contains("INVALID_REQUEST");
      assertThat(client.readAll()).isEmpty();
    }
  }

  @Test
  void chunkedBodiesAreJoined() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.write("9\r\n{\"name\":\"\r\n").write("3\r\nabc\r\n").write("2\r\n\"}\r\n0\r\n\r\n");
      assertThat(client.readReply()).endsWith("{\"value\":\"abc\"}");
      client.write("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply()).endsWith("{\"value\":\"fine\"}");
    }
  }

  /// Read as a number of 32 bits, these sizes are 4, 2 and 0: what follows would be a request.
  @ParameterizedTest
  @ValueSource(strings = {"100000004", "100000002", "100000000", "ffffffff00000004", "0x4", "-4"})
  void aChunkSizeBeyondTheLimitsOfANumberIsRefused(String size) {
    try (RawClient client = new RawClient(server.port())) {
      client.write(
          "POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
              + size
              + "\r\n{}  \r\n0\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readAll()).doesNotContain("200 OK").doesNotContain("fine");
    }
  }

  @Test
  void aClientThatExpectsContinueReceivesIt() {
    try (RawClient client = new RawClient(server.port())) {
      client.write(
          "POST /json HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n");
      assertThat(client.readReply()).startsWith("HTTP/1.1 100 ");
      client.write("{\"name\":\"y\"}");
      assertThat(client.readReply()).endsWith("{\"value\":\"y\"}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/things/%",
        "/things/%2",
        "/things/%zz",
        "/things/%00",
        "/things/%ff",
        "/things/%c0%80",
        "/things/%ed%a0%80",
        "/things/..",
        "/things/%2e%2e",
        "/things/a%2fb",
        "/things/a\\b",
        "/things/\u00e9",
        "/things/a#b",
        "/things/x?a=\\",
        "/api/plain?a=%",
        "/api/plain?%ff=1",
        "/api/plain?a=%00",
        "/api/plain?a=%zz",
        "http://other/plain",
        "//",
        "plain",
        "*",
      })
  void targetsThatAreNotNormalizedAreRefused(String target) {
    assertStatus4xx("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\r\n\r\n\r\nnonsense\r\n\r\n",
        "GET\r\n\r\n",
        "GET /plain\r\n\r\n",
        "G@T /plain HTTP/1.1\r\nHost: x\r\n\r\n",
        "CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nBad Header: x\r\n\r\n",
        "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
        "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n{} ",
        "POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      })
  void headsThatAreNotHttpAreRefused(String head) {
    try (RawClient client = new RawClient(server.port())) {
      String reply = client.write(head).readReply();
      assertThat(reply).matches("(?s)HTTP/1\\.[01] 4\\d\\d .*|");
    }
    assertThat(server.get("/plain").statusCode()).isEqualTo(200);
  }

  /// Two servers may read each of these heads differently, so they are refused.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /plain HTTP/1.1\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n",
        "GET /plain HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET /plain HTTP/1.1\r\n Host: x\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nX-Long: a\r\n b\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nX-Long: a\r\n\tb\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nX-Long:\r\n b\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\n \r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\n y\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nX-Cr: a\rb\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nX-Cr: a\rContent-Length: 3\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\nX-Nul: a\0b\r\n\r\n",
        "GET /plain HTTP/1.1\nHost: x\n\n",
        "GET /plain HTTP/1.1\r\nHost: x\nX-Lf: a\r\n\r\n",
        "GET /plain HTTP/1.1\r\nHost: x\r\n\n",
        "GET /plain HTTP/1.1\r\r\nHost: x\r\n\r\n",
      })
  void anAmbiguousHeadIsRefusedAndClosesTheConnection(String head) {
    assertRefusedForGood(head);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 3",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: +2",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 0x2",
        "HTTP/1.1\r\nHost: x\r\nContent-Length:",
        "HTTP/1.1\r\nHost: x\r\nContent-Length : 2",
        "HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: CHUNKED\r\nContent-Length: 5",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nContent-Length: 5",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "HTTP/1.0\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3",
        "HTTP/1.0\r\nHost: x\r\nContent-Length: 2, 3",
        "HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5",
        "HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked",
      })
  void aBodyOfAmbiguousLengthIsRefusedAndClosesTheConnection(String fields) {
    assertRefusedForGood("POST /json " + fields + "\r\n\r\n0\r\n\r\n");
  }

  /// Each packet ends with a complete line, so the decoder sees one line at a time.
  @Test
  void aFoldedLineIsRefusedInAHeadThatArrivesInPieces() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /things/1 HTTP/1.1\r\nHost: x\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\n");
      assertThat(client.readReply()).endsWith("{\"value\":\"1\"}");
      client.write(" y\r\n").write("X-Other: z\r\n").write("\r\n");
      assertThat(client.readReply()).startsWith("HTTP/1.1 400 ");
      assertThat(client.readAll()).isEmpty();
    }
  }

  /// Used by simple health checks.
  @Test
  void aRequestOfHttp10NeedsNoHost() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /plain HTTP/1.0\r\n\r\n");
      assertThat(client.readAll()).startsWith("HTTP/1.0 200 ").endsWith("{\"value\":\"fine\"}");
    }
  }

  @Test
  void bodiesMayHaveLinesThatBeginWithSpaces() {
    String body = "{\n \"name\":\n\t\"y\"\r\n }";
    try (RawClient client = new RawClient(server.port())) {
      client.write("POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length());
      client.write("\r\n\r\n" + body);
      assertThat(client.readReply()).endsWith("{\"value\":\"y\"}");
      client.write("POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n");
      client.write(Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");
      assertThat(client.readReply()).endsWith("{\"value\":\"y\"}");
    }
  }

  /// Vert.x itself answers this one.
  @Test
  void anUnknownVersionIsNotServed() {
    try (RawClient client = new RawClient(server.port())) {
      assertThat(client.write("GET /plain HTTP/9.9\r\n\r\n").readReply()).contains(" 501 ");
    }
  }

  @Test
  void tooLongTargetsAndHeadsHaveTheirOwnStatuses() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /" + "a".repeat(9000) + " HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply()).contains(" 414 ").contains("\"error\":\"INVALID_REQUEST\"");
    }
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /plain HTTP/1.1\r\nHost: x\r\nX-Long: " + "a".repeat(17000) + "\r\n\r\n");
      assertThat(client.readReply()).contains(" 431 ").contains("\"error\":\"INVALID_REQUEST\"");
    }
  }

  @Test
  void aTooLongTargetIsAnsweredInTheLanguageOfTheCaller() {
    String rest = " HTTP/1.1\r\nHost: x\r\nAccept-Language: zh-CN\r\n\r\n";
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /" + "a".repeat(9000) + rest);
      assertThat(client.readReply()).contains(" 414 ").contains("\"请求的地址过长。\"");
    }
  }

  @Test
  void aHeadWithoutReadableFieldsIsAnsweredInAllLanguages() {
    String fields = "\r\nHost: x\r\nAccept-Language: zh-CN\r\n\r\n";
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /" + "a".repeat(40_000) + " HTTP/1.1" + fields);
      assertThat(client.readReply())
          .contains(" 414 ")
          .contains("請求的網址過長。 请求的地址过长。 The address of the request is too long.");
    }
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /a b HTTP/1.1" + fields);
      assertThat(client.readReply()).contains(" 400 ").contains("请求不符合 HTTP 格式。");
    }
  }

  @Test
  void aBodyOnAGetIsReadAndIgnored() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
      assertThat(client.readReply()).startsWith("HTTP/1.1 200 ");
      client.write("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() {
    try (RawClient client = new RawClient(server.port())) {
      client.write(
          "GET /things/1 HTTP/1.1\r\nHost: x\r\n\r\nGET /things/2 HTTP/1.1\r\nHost: x\r\n\r\n"
              + "POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n{\"name\":\"z\"}"
              + "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply()).endsWith("{\"value\":\"1\"}");
      assertThat(client.readReply()).endsWith("{\"value\":\"2\"}");
      assertThat(client.readReply()).endsWith("{\"value\":\"z\"}");
      assertThat(client.readReply()).contains("NOT_FOUND");
    }
  }

  private void assertRefusedForGood(String request) {
    try (RawClient client = new RawClient(server.port())) {
      client.write(request + "GET /plain HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply())
          .matches("(?s)HTTP/1\\.[01] 400 .*")
          .contains("INVALID_REQUEST")
          .containsIgnoringCase("connection: close");
      assertThat(client.readAll()).as("nothing after it is answered").isEmpty();
    }
  }

  private void assertStatus4xx(String head) {
    try (RawClient client = new RawClient(server.port())) {
      String reply = client.write(head).readReply();
      assertThat(reply).matches("(?s)HTTP/1\\.[01] 4\\d\\d .*").contains("\"error\":\"");
    }
  }
}
