package fairgate.operator.access;

import static fairgate.operator.access.TestOperator.PASSWORD;
import static fairgate.operator.access.TestOperator.signIn;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.testkit.Eventually;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Attacks on the sign-in of operators, and the outage of PostgreSQL.
class OperatorAttacksIT {
  private static final String ADMIN = "Bearer " + TestFairgate.OPERATOR;

  private static TestFairgate limited(Map<String, String> more) {
    TestEngines.shared().flushRedis();
    // A machine under load must not make Redis seem away.
    Map<String, String> settings = new HashMap<>(Map.of("limits", "on", "limit.budget_ms", "5000"));
    settings.putAll(more);
    return TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings);
  }

  @Test
  void theDefaultLimitsAllowFiveSignInsAMinute() {
    try (TestFairgate server = limited(Map.of())) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        statuses.add(signIn(server, "owner" + i, "guess number " + i, "wrong1").statusCode());
      }
      assertThat(statuses).startsWith(401).endsWith(429);
      assertThat(Collections.frequency(statuses, 401)).isLessThanOrEqualTo(6);
    }
  }

  @Test
  void failedAttemptsAtOneNameAreDelayedAlsoForARightPassword() {
    try (TestFairgate server = limited(Map.of("limit.login", "off", "limit.ip", "off"))) {
      TestOperator operator = TestOperator.firstOwner(server);
      for (int i = 0; i < 5; i++) {
        assertThat(signIn(server, "owner", "guess number " + i, "wrong1").statusCode())
            .isEqualTo(401);
      }
      Eventually.await(
          "a further attempt has to wait",
          () -> signIn(server, "owner", "guess", "wrong1").statusCode() == 429);
      HttpResponse<String> right = signIn(server, "owner", PASSWORD, operator.recoveryCode());
      assertThat(right.statusCode()).isEqualTo(429);
      assertThat(right.headers().firstValue("retry-after")).isPresent();
    }
  }

  @Test
  void ofManySignInsWithOneCodeAtTheSameTimeOneSucceeds() {
    try (TestFairgate server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of())) {
      TestOperator operator = TestOperator.firstOwner(server);
      for (String code : List.of(operator.code(30), operator.recoveryCode())) {
        List<CompletableFuture<Integer>> all =
            IntStream.range(0, 8)
                .mapToObj(
                    _ ->
                        CompletableFuture.supplyAsync(
                            () -> signIn(server, "owner", PASSWORD, code).statusCode()))
                .toList();
        List<Integer> statuses = all.stream().map(CompletableFuture::join).toList();
        assertThat(statuses).as(code).containsOnlyOnce(303).contains(401);
      }
    }
  }

  @Test
  void ofTwoOwnersWhoRemoveEachOtherOneStays() {
    try (TestFairgate server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of())) {
      for (int round = 0; round < 5; round++) {
        String first = "first" + round;
        String second = "second" + round;
        TestOperator anna = TestOperator.add(server, first, Role.OWNER);
        TestOperator bert = TestOperator.add(server, second, Role.OWNER);
        removeOwners(server, List.of(first, second));
        String annaId = id(server, first);
        String bertId = id(server, second);
        List<Integer> statuses =
            Stream.of(
                    CompletableFuture.supplyAsync(() -> remove(anna, bertId)),
                    CompletableFuture.supplyAsync(() -> remove(bert, annaId)))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
        assertThat(statuses).containsOnlyOnce(200);
        String owners = server.admin("GET", "/operators", "");
        assertThat(owners.split("\"role\":\"owner\"", -1)).hasSize(2);
      }
    }
  }

  private static int remove(TestOperator operator, String id) {
    return operator.call("DELETE", "/operators/" + id + "?reason=race", "").statusCode();
  }

  /// Removes all owners except these.
  private static void removeOwners(TestFairgate server, List<String> kept) {
    TestOperator.json(server.admin("GET", "/operators", ""))
        .path("operators")
        .forEach(
            each -> {
              if (!kept.contains(each.path("name").asText())) {
                String _ =
                    server.admin(
                        "DELETE", "/operators/" + each.path("id").asText() + "?reason=test", "");
              }
            });
  }

  private static String id(TestFairgate server, String name) {
    for (var each : TestOperator.json(server.admin("GET", "/operators", "")).path("operators")) {
      if (each.path("name").asText().equals(name)) {
        return each.path("id").asText();
      }
    }
    throw new AssertionError("no operator " + name);
  }

  @Test
  void whilePostgresIsAwayOperatorsGetAClear503AndContinueAfterwards() throws InterruptedException {
    try (TestEngines engines = TestEngines.privateEngines();
        TestFairgate server = TestFairgate.start(engines, engines.freshDatabase(), Map.of())) {
      TestOperator owner = TestOperator.firstOwner(server);
      String token = owner.token(Role.SELLER);
      server.createProduct("7", 5, "{\"preset\":\"queue\"}");
      server.openSale("7");
      engines.pausePostgres();
      String pause = "/api/admin/products/7/pause";
      List<Callable<HttpResponse<String>>> calls =
          List.of(
              () -> owner.call("POST", "/products/7/pause", ""),
              () -> server.call("POST", pause, "", "Authorization", "Bearer " + token),
              () -> server.call("POST", pause, "", "Authorization", ADMIN),
              () ->
                  server.call(
                      "POST",
                      "/console/sign-in",
                      "name=owner&password=x&code=1",
                      "sec-fetch-site",
                      "same-origin"));
      List<HttpResponse<String>> replies;
      // Each waits for its deadline.
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        replies = threads.invokeAll(calls).stream().map(Future::resultNow).toList();
      }
      assertThat(replies).allSatisfy(reply -> assertThat(reply.statusCode()).isEqualTo(503));
      assertThat(replies)
          .allSatisfy(reply -> assertThat(reply.headers().firstValue("retry-after")).isPresent());
      HttpResponse<String> scraped =
          server.call(
              "GET", "/metrics", "", "X-Forwarded-For", "203.0.113.9", "Authorization", ADMIN);
      assertThat(scraped.statusCode()).as("the shared token needs no PostgreSQL").isEqualTo(200);
      engines.resumePostgres();
      HttpResponse<String> paused =
          Eventually.get(
              "the sale is paused",
              () -> owner.call("POST", "/products/7/pause", ""),
              reply -> reply.statusCode() != 503);
      assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
    }
  }
}
