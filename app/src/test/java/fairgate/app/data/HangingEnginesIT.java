package fairgate.app.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.http.Route;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;

/// Engines that keep their connections and answer nothing. A request makes several calls to them;
/// its deadline covers all of them together.
@Timeout(300)
class HangingEnginesIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ACCOUNT =
      "{\"username\":\"patient\",\"password\":\"a long enough passphrase\"}";

  /// They reply with their own page when a call that they made is late, so nothing typed is lost.
  private static final Set<String> FORMS =
      Set.of("/o/{id}/details", "/appeal/{decision_id}", "/appeal/{decision_id}/receipt", "/claim");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  @Execution(CONCURRENT)
  void buyersAreToldToComeBackInsteadOfWaitingForEachCall() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server =
            TestFairgate.start(
                engines,
                engines.freshDatabase(),
                Map.of("identity.provider", "console", "data_dir", folder.toString()))) {
      assertThat(
              server.routes().stream()
                  .filter(route -> !route.path().startsWith("/api/admin/"))
                  .filter(route -> route.deadline().compareTo(Route.DEFAULT_DEADLINE) > 0)
                  .map(Route::path))
          .as("forms, and routes that wait for a payment or sign-in provider as well")
          .allMatch(path -> FORMS.contains(path) || path.matches("/pay/\\{id}.*|.*/oidc.*"));
      server.createProduct("7", 5, "{\"preset\":\"queue\",\"identity\":\"account\"}");
      server.openSale("7");
      var _ = server.callUntilAccepted("POST", "/api/v1/register", ACCOUNT);
      String token =
          JSON.readTree(server.callUntilAccepted("POST", "/api/v1/login", ACCOUNT).body())
              .path("token")
              .asText();
      server.createProduct("8", 5, "{\"preset\":\"queue\"}");
      server.openSale("8");
      String cookie =
          server
              .callUntilAccepted("POST", "/p/8/join", "", "Sec-Fetch-Site", "same-origin")
              .headers()
              .allValues("set-cookie")
              .stream()
              .map(set -> set.split(";", 2)[0])
              .collect(Collectors.joining("; "));
      assertThat(cookie).as("the session of a place").contains("=");
      engines.pauseRedis();
      engines.pausePostgres();
      try {
        List<Callable<HttpResponse<String>>> calls =
            List.of(
                () ->
                    server.call(
                        "POST",
                        "/api/v1/identity/phone",
                        "{\"phone\":\"+886912345678\"}",
                        "Authorization",
                        "Bearer " + token),
                () ->
                    server.call(
                        "POST",
                        "/api/queue/join",
                        "{\"product_id\":\"7\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
                        "Authorization",
                        "Bearer " + token),
                () -> server.call("GET", "/p/8", "", "Cookie", cookie, "Accept", "text/html"));
        List<HttpResponse<String>> answers;
        // Each waits for its deadline.
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
          answers = threads.invokeAll(calls).stream().map(Future::resultNow).toList();
        }
        answers.forEach(HangingEnginesIT::comesBack);
        assertThat(answers.getLast().body())
            .as("a page without JavaScript goes on by itself")
            .contains("<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>");
      } finally {
        engines.resumePostgres();
        engines.resumeRedis();
      }
    }
  }

  @Test
  @Execution(CONCURRENT)
  void aServerWhosePostgresHangsGoesOnSelling() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      engines.pausePostgres();
      try {
        HttpResponse<String> health =
            Eventually.get(
                "PostgreSQL is reported as away",
                () -> server.call("GET", "/health/sale", ""),
                answer -> answer.body().contains("the ledger is delayed"));
        assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
      } finally {
        engines.resumePostgres();
      }
    }
  }

  @Test
  @Execution(CONCURRENT)
  void salesThatWaitForTheLedgerAreReported() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      server.createProduct("7", 5, "{\"preset\":\"queue\"}");
      server.openSale("7");
      awaitSalesUp(server);
      engines.pausePostgres();
      try {
        engines.killRedis();
        engines.restartRedis();
        HttpResponse<String> health =
            Eventually.get(
                "sales are reported as held",
                () -> server.call("GET", "/health/sale", ""),
                answer ->
                    answer.body().contains("\"redis\":{\"status\":\"up\"")
                        && answer.body().contains("sales wait for the comparison"));
        assertThat(health.statusCode()).as(health.body()).isEqualTo(503);
        assertThat(server.call("GET", "/metrics", "").body())
            .contains("fairgate_check_up{check=\"sales\"} 0");
      } finally {
        engines.resumePostgres();
      }
      awaitSalesUp(server);
    }
  }

  private static void awaitSalesUp(TestFairgate server) {
    Eventually.await(
        "the node can sell", () -> server.call("GET", "/health/sale", "").statusCode() == 200);
  }

  private static void comesBack(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(answer.headers().firstValue("retry-after")).isPresent();
  }
}
