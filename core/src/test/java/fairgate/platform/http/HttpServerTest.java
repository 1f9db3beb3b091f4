package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Routes, replies and failures over a socket.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class HttpServerTest {
  private TestServer server;

  @BeforeAll
  void start() {
    server =
        TestServer.of(
            Route.get("/plain", _ -> Future.succeededFuture(Reply.json(200, "{\"a\":1}"))),
            Route.get("/page", _ -> Future.succeededFuture(Reply.html(200, "<p>page</p>"))),
            Route.get("/api/things/{id}", r -> text(r.path() + " " + r.pathParam("id"))),
            Route.post("/api/things/{id}", r -> text("posted " + r.pathParam("id"))),
            Route.get("/api/things/new", _ -> text("exact")),
            Route.get("/files/{path*}", r -> text(r.pathParam("path"))),
            Route.get("/query", r -> text(r.query("a") + "|" + r.query("b") + "|" + r.query("c"))),
            Route.blockingGet(
                "/blocking",
                _ -> Reply.text(200, String.valueOf(Thread.currentThread().isVirtual()))),
            Route.get("/device", r -> text(r.device().id().value() + " " + r.device().fresh())),
            Route.get("/who", r -> text(r.clientAddress() + " " + r.requestId())),
            Route.get("/long/{n}", r -> text("x".repeat(Integer.parseInt(r.pathParam("n"))))),
            Route.get("/q/{room}/", r -> text("room " + r.pathParam("room"))),
            Route.get("/", _ -> text("home")),
            Route.get("/s/{code}", r -> text("code " + r.pathParam("code"))),
            Route.get("/gone", _ -> Future.succeededFuture(Reply.noContent())),
            Route.get("/elsewhere", _ -> Future.succeededFuture(Reply.redirect(302, "/plain"))));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static Future<Reply> text(String text) {
    return Future.succeededFuture(Reply.text(200, text));
  }

  @Test
  void jsonIsNeverStoredNorSniffed() {
    HttpResponse<String> reply = server.get("/plain");
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(reply.body()).isEqualTo("{\"a\":1}");
    assertThat(header(reply, "content-type")).isEqualTo("application/json");
    assertThat(header(reply, "cache-control")).isEqualTo("no-store");
    assertThat(header(reply, "x-content-type-options")).isEqualTo("nosniff");
    assertThat(reply.headers().firstValue("access-control-allow-origin")).isEmpty();
  }

  @Test
  void pagesCarryTheSecurityHeaders() {
    HttpResponse<String> reply = server.get("/page");
    assertThat(header(reply, "content-security-policy"))
        .contains("default-src 'none'", "frame-ancestors 'none'")
        .doesNotContain("unsafe-inline");
    assertThat(header(reply, "referrer-policy")).isNotEmpty();
    assertThat(header(reply, "permissions-policy")).contains("camera=()");
    assertThat(header(reply, "x-frame-options")).isEqualTo("DENY");
    assertThat(header(reply, "x-content-type-options")).isEqualTo("nosniff");
  }

  @Test
  void aHeadIsAGetWithoutItsBody() {
    HttpResponse<String> reply = server.send("HEAD", "/plain");
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(header(reply, "content-length")).isEqualTo("7");
    assertThat(reply.body()).isEmpty();
  }

  @Test
  void placeholdersMatchDecodedSegments() {
    assertThat(server.get("/api/things/7").body()).isEqualTo("/api/things/7 7");
    assertThat(server.get("/api/things/%E9%9E%8B").body()).isEqualTo("/api/things/鞋 鞋");
    assertThat(server.get("/api/things/new").body()).isEqualTo("exact");
    assertThat(server.get("/%61pi/things/new").statusCode()).isEqualTo(400);
    assertThat(server.post("/api/things/8", "").body()).isEqualTo("posted 8");
    assertThat(server.get("/api/things/").statusCode()).isEqualTo(404);
    assertThat(server.get("/files/a/b.js").body()).isEqualTo("a/b.js");
    assertThat(server.get("/files/").statusCode()).isEqualTo(404);
  }

  @Test
  void aLiteralPathDoesNotHideTheOtherMethodsOfAPattern() {
    assertThat(server.post("/api/things/new", "").body()).isEqualTo("posted new");
    assertThat(server.post("/api/things/new?a=1", "").body()).isEqualTo("posted new");
    assertThat(server.get("/api/things/new?a=1").body()).isEqualTo("exact");
    assertThat(server.send("DELETE", "/api/things/new").statusCode()).isEqualTo(405);
  }

  @Test
  void queriesAreDecoded() {
    assertThat(server.get("/query?a=1&b=%E9%9E%8B+x&a=2").body()).isEqualTo("1|鞋 x|null");
    assertThat(server.get("/query?&&a&b=").body()).isEqualTo("||null");
  }

  /// Big5 is what old programs for newsletters write.
  @Test
  void whatCannotBeDecodedInTheQueryOfAPageStaysAsItIs() {
    try (RawClient client = new RawClient(server.port())) {
      client.write("GET /query?a=50%off&b=%A4%A4&c=%2B+ HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.readReply()).endsWith("50%off|%A4%A4|+ ");
    }
  }

  @Test
  void unknownPathsAreNotFound() {
    HttpResponse<String> reply = server.get("/nowhere");
    assertThat(reply.statusCode()).isEqualTo(404);
    assertThat(reply.body()).contains("\"error\":\"NOT_FOUND\"").contains("\"success\":false");
    assertThat(server.get("/api/nowhere", "accept", "text/html").body()).startsWith("{");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "/page/ /page",
        "/page. /page",
        "/page%EF%BC%8C /page",
        "/page).?a=1 /page?a=1",
        "/s/abc%E3%80%82 /s/abc",
        "/s/abc%EF%BC%89%E5%BF%AB%E4%BE%86 /s/abc",
        "/s/abc+, /s/abc+",
        "/s/abc%22%3E /s/abc",
        "/long/3%20 /long/3",
        "/files/a/b.js! /files/a/b.js",
        "/%EF%BC%8Cabc /",
        "/) /"
      })
  void whatWasPastedBehindTheAddressOfAPageIsNoPartOfIt(String pasted, String page) {
    HttpResponse<String> reply = server.get(pasted);
    assertThat(reply.statusCode()).isEqualTo(302);
    assertThat(header(reply, "location")).isEqualTo(page);
    assertThat(server.get(page).statusCode()).isEqualTo(200);
  }

  @Test
  void otherPathsStayAsTheyWereSent() {
    assertThat(server.get("/q/r1/").body()).isEqualTo("room r1");
    assertThat(server.get("/s/abc-").body()).isEqualTo("code abc-");
    assertThat(server.get("/s/abc.svg").body()).isEqualTo("code abc.svg");
    assertThat(server.get("/s/%E7%A5%A8").body()).isEqualTo("code 票");
    assertThat(server.get("/api/things/1.").body()).isEqualTo("/api/things/1. 1.");
    assertThat(server.get("/nowhere/").statusCode()).isEqualTo(404);
    assertThat(server.get("//example.com/.").statusCode()).isEqualTo(400);
    assertThat(server.get("//example.com,").statusCode()).isEqualTo(404);
    assertThat(server.post("/page/", "").statusCode()).isEqualTo(404);
  }

  @Test
  void otherMethodsAreNotAllowed() {
    HttpResponse<String> reply = server.send("DELETE", "/api/things/1");
    assertThat(reply.statusCode()).isEqualTo(405);
    assertThat(header(reply, "allow")).isEqualTo("GET, HEAD, POST, OPTIONS");
    assertThat(reply.body()).contains("METHOD_NOT_ALLOWED");
    assertThat(server.send("FOO", "/plain").statusCode()).isEqualTo(405);
    assertThat(server.send("TRACE", "/plain").statusCode()).isEqualTo(405);
    assertThat(server.send("FOO", "/nowhere").statusCode()).isEqualTo(404);
    HttpResponse<String> options = server.send("OPTIONS", "/plain");
    assertThat(options.statusCode()).isEqualTo(204);
    assertThat(header(options, "allow")).isEqualTo("GET, HEAD, OPTIONS");
    assertThat(options.headers().firstValue("content-length")).isEmpty();
  }

  @Test
  void blockingHandlersRunOnVirtualThreads() {
    assertThat(server.get("/blocking").body()).isEqualTo("true");
  }

  @Test
  void aDeviceIsRecognizedByItsCookieButNotByAForgedOne() {
    HttpResponse<String> first = server.get("/device");
    String cookie = header(first, "set-cookie");
    assertThat(cookie)
        .startsWith("fairgate_device=")
        .contains("; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax");
    String value = cookie.substring(0, cookie.indexOf(';'));
    String id = first.body().substring(0, 22);
    HttpResponse<String> again = server.get("/device", "cookie", "x=y; " + value);
    assertThat(again.body()).isEqualTo(id + " false");
    assertThat(again.headers().firstValue("set-cookie")).isEmpty();
    char last = value.charAt(value.length() - 2);
    String forged =
        value.substring(0, value.length() - 2)
            + (last == 'A' ? 'B' : 'A')
            + value.charAt(value.length() - 1);
    for (String bad :
        List.of(
            forged,
            "fairgate_device=",
            "fairgate_device=" + id,
            "fairgate_device=" + id + ".k9.AAAA",
            "fairgate_device=...",
            value.replace(".k1.", ".k2."),
            value + "A")) {
      assertThat(server.get("/device", "cookie", bad).body()).as(bad).endsWith(" true");
    }
  }

  @Test
  void onlyAPlainRequestIdIsAccepted() {
    assertThat(server.get("/who", "x-request-id", "request-0001").body())
        .isEqualTo("127.0.0.1 request-0001");
    assertThat(server.get("/who", "x-request-id", "short").body()).doesNotContain("short");
    assertThat(server.get("/who", "x-request-id", "white space here").body())
        .doesNotContain("white");
    assertThat(server.get("/plain").headers().firstValue("x-request-id")).isEmpty();
  }

  @Test
  void repliesWithoutABodyHaveNone() {
    HttpResponse<String> gone = server.get("/gone");
    assertThat(gone.statusCode()).isEqualTo(204);
    assertThat(gone.headers().firstValue("content-length")).isEmpty();
    HttpResponse<String> elsewhere = server.get("/elsewhere");
    assertThat(elsewhere.statusCode()).isEqualTo(302);
    assertThat(header(elsewhere, "location")).isEqualTo("/plain");
  }

  @Test
  void repliesOfAnyLengthAreCompleteAndInOrder() {
    int[] lengths = {0, 1, 100, 129, 1_500, 2_048, 5_000, 70_000};
    try (RawClient client = new RawClient(server.port())) {
      StringBuilder all = new StringBuilder();
      for (int length : lengths) {
        all.append("GET /long/").append(length).append(" HTTP/1.1\r\nHost: x\r\n\r\n");
      }
      all.append("GET /long/9000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      client.write(all.toString());
      for (int length : lengths) {
        assertThat(client.readReply()).endsWith("\r\n\r\n" + "x".repeat(length));
      }
      assertThat(client.readReply()).endsWith("\r\n\r\n" + "x".repeat(9_000));
      assertThat(client.readReply()).as("closed").isEmpty();
    }
  }

  @Test
  void requestsAreCountedByRoute() {
    assertThat(server.get("/api/things/55").statusCode()).isEqualTo(200);
    assertThat(server.get("/nowhere").statusCode()).isEqualTo(404);
    assertThat(server.metrics.scrape())
        .contains("route=\"/api/things/{id}\"", "route=\"none\"")
        .contains("fairgate_http_refusals_total{code=\"NOT_FOUND\"}")
        .doesNotContain("/api/things/55");
  }

  @Test
  void aTakenPortIsAClearError() {
    Vertx vertx = Loops.vertx(1);
    try {
      assertThatThrownBy(
              () ->
                  HttpServer.start(
                      vertx,
                      HttpConfig.defaults().withAddress("127.0.0.1", server.port()),
                      List.of(),
                      new HttpDependencies(
                          new TestServer.Counted(),
                          TestServer.KEYS,
                          new fairgate.platform.observe.Metrics())))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("127.0.0.1:" + server.port() + " is taken");
    } finally {
      Void _ = vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static String header(HttpResponse<String> reply, String name) {
    return reply.headers().firstValue(name).orElse("");
  }
}
