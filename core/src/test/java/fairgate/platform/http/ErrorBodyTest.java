package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Refusals and failures as received by a client.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class ErrorBodyTest {
  private TestServer server;

  @BeforeAll
  void start() {
    server =
        TestServer.of(
            Route.get(
                "/throws",
                _ -> {
                  throw new IllegalStateException("secret");
                }),
            Route.get("/fails", _ -> Future.failedFuture(new IllegalStateException("secret"))),
            Route.get(
                "/away",
                _ -> Future.failedFuture(new ServiceUnavailable("redis", Duration.ofMillis(1500)))),
            Route.get("/never", _ -> Promise.<Reply>promise().future())
                .withDeadline(Duration.ofMillis(300)),
            Route.get("/record/never", _ -> Promise.<Reply>promise().future())
                .withDeadline(Duration.ofMillis(300))
                .forAnyOrigin(),
            Route.blockingGet("/record/fails", ErrorBodyTest::unavailable).forAnyOrigin(),
            Route.blockingGet(
                    "/record/stream",
                    _ ->
                        Reply.stream(
                            200,
                            "text/plain",
                            _ -> {
                              throw new ServiceUnavailable("postgresql", Duration.ofSeconds(1));
                            }))
                .forAnyOrigin(),
            Route.blockingGet("/record/found", _ -> Reply.text(200, "here")).forAnyOrigin(),
            Route.get(
                "/refuse",
                _ ->
                    Future.succeededFuture(
                        Reply.refuse(
                            Refusal.of(ErrorCode.SALE_NOT_OPEN)
                                .retryAfter(Duration.ofSeconds(7))
                                .with("opens_at", "soon")))),
            Route.blockingGet(
                "/blocking-fails",
                _ -> {
                  throw new java.io.IOException("secret");
                }));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void failuresDoNotRevealDetails() {
    for (String path : List.of("/throws", "/fails", "/blocking-fails")) {
      HttpResponse<String> reply = server.get(path, "x-request-id", "abcd-1234");
      assertThat(reply.statusCode()).as(path).isEqualTo(500);
      assertThat(reply.body())
          .contains("\"error\":\"SERVER_ERROR\"", "\"request_id\":\"abcd-1234\"")
          .doesNotContain("secret");
      assertThat(header(reply, "x-request-id")).isEqualTo("abcd-1234");
    }
  }

  @Test
  void anUnavailableEngineIsAnswered503WithRetryAfter() {
    HttpResponse<String> reply = server.get("/away");
    assertThat(reply.statusCode()).isEqualTo(503);
    assertThat(header(reply, "retry-after")).isEqualTo("2");
    assertThat(reply.body()).contains("SERVICE_UNAVAILABLE", "\"retry_after\":2");
  }

  @Test
  void aHandlerWithoutAReplyTimesOut() {
    HttpResponse<String> reply = server.get("/never");
    assertThat(reply.statusCode()).isEqualTo(503);
    assertThat(header(reply, "retry-after")).isEqualTo("1");
  }

  /// A script of another origin would otherwise see a network error instead of the reason.
  @Test
  void scriptsOfAnyOriginReadAllRepliesOfAPublicRecord() {
    for (String path : List.of("/never", "/fails", "/stream", "/found")) {
      HttpResponse<String> reply = server.get("/record" + path);
      assertThat(reply.statusCode()).as(path).isEqualTo(path.equals("/found") ? 200 : 503);
      assertThat(header(reply, "access-control-allow-origin")).as(path).isEqualTo("*");
      assertThat(header(reply, "cross-origin-resource-policy")).as(path).isEqualTo("cross-origin");
    }
    assertThat(header(server.get("/never"), "access-control-allow-origin")).isEmpty();
  }

  private static Reply unavailable(Request request) {
    throw new ServiceUnavailable("postgresql", Duration.ofSeconds(1));
  }

  @Test
  void refusalsCarryTheirDetails() {
    HttpResponse<String> reply = server.get("/refuse", "accept-language", "en-GB");
    assertThat(reply.statusCode()).isEqualTo(409);
    assertThat(reply.body())
        .startsWith(
            "{\"success\":false,\"error\":\"SALE_NOT_OPEN\","
                + "\"message\":\"The sale is not open.\",\"request_id\":\"")
        .endsWith("\"retry_after\":7,\"opens_at\":\"soon\"}");
    assertThat(header(reply, "retry-after")).isEqualTo("7");
    assertThat(server.get("/refuse").body()).contains("目前未開放購買。");
    assertThat(server.get("/refuse", "accept-language", "zh-CN").body()).contains("目前未开放购买。");
  }

  @Test
  void problemsFollowRfc9457OnRequest() {
    HttpResponse<String> reply =
        server.get("/refuse", "accept", "application/problem+json", "accept-language", "en");
    assertThat(header(reply, "content-type")).isEqualTo("application/problem+json");
    assertThat(reply.body())
        .contains(
            "\"type\":\"urn:fairgate:error:SALE_NOT_OPEN\"",
            "\"status\":409",
            "\"title\":",
            "\"detail\":\"The sale is not open.\"",
            "\"error\":\"SALE_NOT_OPEN\"",
            "\"retry_after\":7",
            "\"opens_at\":\"soon\"");
    assertThat(header(reply, "cache-control")).isEqualTo("no-store");
  }

  private static String header(HttpResponse<String> reply, String name) {
    return reply.headers().firstValue(name).orElse("");
  }
}
