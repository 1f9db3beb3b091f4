package fairgate.operator.live;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.operator.access.TestOperator;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Streams of the live view over HTTP.
class LiveFeedTest {
  private static final Pattern TIME = Pattern.compile("\"server_time\":(\\d+)");

  /// An open stream, and the lines that it has received.
  private record Watching(HttpResponse<Stream<String>> answer, Queue<String> lines) {
    List<String> times() {
      List<String> times = new ArrayList<>();
      for (String line : lines) {
        if (line.startsWith("data: {\"server_time\"")) {
          TIME.matcher(line).results().forEach(found -> times.add(found.group(1)));
        }
      }
      return times;
    }
  }

  private static Watching watch(HttpClient client, TestFairgate server)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.baseUrl() + "/api/admin/products/1/live/stream"))
            .header("Authorization", "Bearer " + TestFairgate.OPERATOR)
            .build();
    HttpResponse<Stream<String>> answer = client.send(request, HttpResponse.BodyHandlers.ofLines());
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    Thread _ =
        BlockingWork.start(
            "watch",
            () -> {
              try {
                answer.body().forEach(lines::add);
              } catch (RuntimeException _) {
                lines.add("closed");
              }
            });
    return new Watching(answer, lines);
  }

  @Test
  void allWhoWatchASaleShareOneReadingAndTheirNumberIsBounded() throws Exception {
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
            TestFairgate.start(
                TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of());
        HttpClient client = HttpClient.newHttpClient()) {
      server.createProduct("1", 5, "{\"preset\":\"queue\"}");
      server.openSale("1");
      Watching first = watch(client, server);
      Watching second = watch(client, server);
      Eventually.await("events arrive", () -> second.times().size() >= 3);
      // Each reading has a time of its own: a second reading for the second stream would show.
      List<String> common = second.times();
      Eventually.await(
          "the first stream has them too", () -> first.times().containsAll(common.subList(1, 3)));
      assertThat(String.join("\n", first.lines()))
          .contains("event: history", "\"free\":5", "\"name\":\"postgres\"", "\"ledger\":");

      List<Watching> more = new ArrayList<>();
      for (int i = 2; i < LiveFeed.MAX_STREAMS; i++) {
        more.add(watch(client, server));
      }
      assertThat(more).allMatch(each -> each.answer().statusCode() == 200);
      Watching tooMany = watch(client, server);
      assertThat(tooMany.answer().statusCode()).isEqualTo(503);
      assertThat(tooMany.answer().headers().firstValue("retry-after")).isPresent();
      client.shutdownNow();
    }
  }

  @Test
  void aMessageReachesThoseWhoWaitAndIsRemoved() {
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of())) {
      server.createProduct("1", 5, "{\"preset\":\"queue\"}");
      String session =
          server
              .callUntilAccepted(
                  "POST",
                  "/api/queue/join",
                  "{\"product_id\":\"1\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}")
              .body()
              .replaceFirst("(?s).*\"session_id\":\"([^\"]+)\".*", "$1");
      String texts = "{\"texts\":{\"en\":\"Soon.\",\"zh-Hant\":\"快了。\"}}";
      assertThat(server.admin("PUT", "/products/1/notice", texts)).contains("快了。");
      Eventually.await("the message", () -> status(server, session).contains("Soon."));
      assertThat(status(server, session)).contains("\"notice\":{");
      assertThat(server.admin("PUT", "/products/1/notice", "{\"texts\":{\"en\":\" \"}}"))
          .contains("\"texts\":{}");
      Eventually.await("no message", () -> !status(server, session).contains("notice"));

      TestOperator viewer = TestOperator.add(server, "viewer", Role.VIEWER);
      assertThat(viewer.call("PUT", "/products/1/notice", texts).statusCode()).isEqualTo(403);
      TestOperator seller = TestOperator.add(server, "seller", Role.SELLER);
      assertThat(seller.call("PUT", "/products/1/notice", "{\"texts\":{\"fr\":\"x\"}}").body())
          .contains("INVALID_REQUEST", "zh-Hans");
      String tooLong = "{\"texts\":{\"en\":\"" + "x".repeat(301) + "\"}}";
      assertThat(seller.call("PUT", "/products/1/notice", tooLong).statusCode()).isEqualTo(400);
      assertThat(seller.call("PUT", "/products/9/notice", texts).statusCode()).isEqualTo(404);
    }
  }

  private static String status(TestFairgate server, String session) {
    return server.call("GET", "/api/queue/status", "", "X-Session-Id", session).body();
  }

  @Test
  void theReportHasOrdersWaitsRefusalsSharesAndActs() {
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of())) {
      server.createProduct("1", 5, "{\"preset\":\"queue\"}");
      server.openSale("1");
      String join = "{\"product_id\":\"1\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}";
      String session =
          server
              .callUntilAccepted("POST", "/api/queue/join", join)
              .body()
              .replaceFirst("(?s).*\"session_id\":\"([^\"]+)\".*", "$1");
      // Without a challenge the join is refused.
      assertThat(server.call("POST", "/api/queue/join", "{\"product_id\":\"1\"}").statusCode())
          .isEqualTo(403);
      Eventually.await(
          "it is the buyer's turn", () -> status(server, session).contains("ready_to_purchase"));
      HttpResponse<String> bought =
          Eventually.get(
              "the server is not too busy for the purchase",
              () -> server.buy(session, "1", "once"),
              answer -> answer.statusCode() != 503);
      assertThat(bought.body()).contains("\"status\":\"paid\"");
      String _ = server.admin("POST", "/products/1/pause", "");
      Eventually.await(
          "the report has the order and the minute",
          () -> {
            String report = server.admin("GET", "/products/1/report", "");
            return report.contains("\"paid\":{\"orders\":1,\"units\":1,\"amount\":100}")
                && report.contains("\"joined\":1,")
                && report.matches("(?s).*\"wait_seconds\":(0|60)[,}].*")
                && report.contains("{\"reason\":\"INVALID_TURNSTILE_TOKEN\",\"refused\":1}")
                && report.contains("\"networks\":{\"holders\":1,\"units\":1,\"most\":1")
                && report.contains("POST /api/admin/products/1/pause");
          });
      String csv = server.admin("GET", "/products/1/report.csv", "");
      assertThat(csv)
          .contains("orders,paid,,1,1,100", "refused,INVALID_TURNSTILE_TOKEN,,1", "share,device");
    }
  }
}
