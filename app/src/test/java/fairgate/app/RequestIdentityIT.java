package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.http.Method;
import fairgate.platform.http.Route;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The identity of a request: guards, API and pages use the same session and the same action, and
/// refuse cross-site requests.
class RequestIdentityIT {
  private static final String CONFLICT = "name different sessions";
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^}]*}");

  private static TestFairgate server;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.ofEntries(
                Map.entry("server.trusted_proxies", "127.0.0.1"),
                Map.entry("signatures.required_for", "POST /api/orders/{order_id}/pay"),
                Map.entry("limits", "on"),
                Map.entry("limit.ip", "off"),
                Map.entry("limit.network", "off"),
                Map.entry("limit.page", "off"),
                Map.entry("limit.join", "off"),
                Map.entry("limit.join_new", "off"),
                Map.entry("limit.admin", "off"),
                Map.entry("limit.login", "off"),
                Map.entry("limit.register", "off"),
                Map.entry("limit.create", "off"),
                Map.entry("limit.concurrent", "1000"),
                Map.entry("limit.budget_ms", "5000"),
                Map.entry("limit.purchase", "9/600s window closed")));
    for (String product : List.of("7", "8")) {
      server.createProduct(
          product,
          50,
          """
          {"preset": "queue", "payment": "none", "places_per_ip": null, "places_per_network": null,
           "show_up_seconds": null, "presence_timeout_seconds": null}
          """);
      server.openSale(product);
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> join(String product, String... headers) {
    return server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"" + product + "\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
        headers);
  }

  private static String session(HttpResponse<String> joined) {
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return joined.body().replaceAll("(?s).*\"session_id\":\"([^\"]+)\".*", "$1");
  }

  private static String cookie(HttpResponse<String> reply, String name) {
    return reply.headers().allValues("set-cookie").stream()
        .filter(line -> line.startsWith(name + "="))
        .findFirst()
        .map(line -> line.substring(0, line.indexOf(';')))
        .orElse("");
  }

  private static HttpResponse<String> buyByForm(String session, String... headers) {
    String[] all = java.util.Arrays.copyOf(headers, headers.length + 4);
    all[headers.length] = "cookie";
    all[headers.length + 1] = "fairgate_session=" + session;
    all[headers.length + 2] = "sec-fetch-site";
    all[headers.length + 3] = "same-origin";
    return server.callUntilAccepted("POST", "/p/7/buy", "quantity=1", all);
  }

  @Test
  void aBannedSessionCannotBuyThroughTheFormWithAnotherSource() {
    String session = session(join("7"));
    server.admin(
        "POST",
        "/bans",
        "{\"kind\":\"session\",\"value\":\"" + session + "\",\"reason\":\"scalper\"}");
    assertThat(buyByForm(session).statusCode()).isEqualTo(403);
    HttpResponse<String> disguised =
        buyByForm(session, "X-Session-Id", UUID.randomUUID().toString());
    assertThat(disguised.statusCode()).isEqualTo(400);
    assertThat(server.call("GET", "/api/queue/status", "", "X-Session-Id", session).statusCode())
        .isEqualTo(403);
  }

  @Test
  void requestsWithDifferentSessionsAreRefused() {
    String session = session(join("7"));
    String other = UUID.randomUUID().toString();
    String[][] disagreements = {
      {"/api/queue/status", "X-Session-Id", other},
      {"/api/queue/status?session_id=" + other, "Accept-Language", "en"},
      {"/p/7?session_id=" + other, "Accept-Language", "en"},
      {"/api/queue/status?session_id=" + session, "X-Session-Id", other},
      {"/api/queue/status?session_id=" + session + "&session_id=" + other, "Accept", "*/*"},
      {"/api/queue/status", "X-Session-Id", session + "x"},
    };
    for (String[] asked : disagreements) {
      HttpResponse<String> refused =
          server.call(
              "GET",
              asked[0],
              "",
              asked[1],
              asked[2],
              "cookie",
              "fairgate_session=" + session,
              "Accept-Language",
              "en");
      assertThat(refused.statusCode()).as(String.join(" ", asked)).isEqualTo(400);
      assertThat(refused.body()).as(String.join(" ", asked)).contains(CONFLICT);
    }
    HttpResponse<String> agreed =
        server.call(
            "GET",
            "/api/queue/status?session_id=" + session,
            "",
            "X-Session-Id",
            session,
            "cookie",
            "fairgate_session=" + session);
    assertThat(agreed.statusCode()).isEqualTo(200);
  }

  @Test
  void aBrowserCanUseEachOfItsPlaces() {
    HttpResponse<String> first = join("7");
    String device = cookie(first, "fairgate_device");
    HttpResponse<String> second =
        join("8", "cookie", device + "; " + cookie(first, "fairgate_session"));
    String cookies = device + "; " + cookie(second, "fairgate_session");
    assertThat(session(second)).isNotEqualTo(session(first));
    for (String place : List.of(session(first), session(second))) {
      HttpResponse<String> status =
          server.call("GET", "/api/queue/status", "", "X-Session-Id", place, "cookie", cookies);
      assertThat(status.statusCode()).as(status.body()).isEqualTo(200);
    }
    assertThat(server.call("GET", "/api/queue/status", "", "cookie", cookies).body())
        .contains(session(second));
  }

  @Test
  void theFormCountsInTheLimitsOfTheApi() {
    String session = session(join("7"));
    String body = "{\"product_id\":\"8\",\"quantity\":1}";
    String from = "198.51.100.77";
    for (int i = 0; i < 9; i++) {
      assertThat(
              server
                  .callUntilAccepted(
                      "POST",
                      "/api/purchase",
                      body,
                      "X-Session-Id",
                      session,
                      "X-Forwarded-For",
                      from)
                  .statusCode())
          .isNotEqualTo(429);
    }
    assertThat(buyByForm(session, "X-Forwarded-For", from).statusCode()).isEqualTo(429);
  }

  @Test
  void theFormRequiresASignatureWhenTheApiDoes() {
    HttpResponse<String> refused =
        server.call("POST", "/pay/7-x", "result=paid", "sec-fetch-site", "same-origin");
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(refused.body()).contains("INVALID_REQUEST_SIGNATURE");
  }

  @Test
  void everyFormCorrespondsToAnApiCall() {
    List<Route> forms =
        server.routes().stream()
            .filter(route -> route.method() != Method.GET)
            .filter(route -> !route.path().startsWith("/api/"))
            .filter(route -> !route.path().equals("/line/webhook"))
            // Providers are linked by redirects of the browser, so there is no API for them.
            .filter(route -> !route.path().equals("/account/sign-in/unlink"))
            // The waiting list of a sold-out sale, the steps before a join, and receipts and their
            // links are pages only.
            .filter(route -> !route.path().matches("/p/\\{id}/(waiting-list|step)(/.*)?"))
            .filter(route -> !route.path().matches("/o/\\{id}/(receipt|end-links)"))
            // Transfers of tickets are forms only.
            .filter(route -> !route.path().matches("/o/\\{id}/tickets/.*|/t/.*"))
            // Waiting rooms, the check of proxies and appeals are routes for browsers and programs.
            // Operators sign in at the console only.
            .filter(route -> !route.action().path().matches("/(q|gate|appeal|console)/.*"))
            .toList();
    assertThat(forms).isNotEmpty();
    assertThat(forms)
        .allSatisfy(
            form ->
                assertThat(server.routes())
                    .as(form.path())
                    .anyMatch(
                        route ->
                            route.path().startsWith("/api/")
                                && route.method() == form.action().method()
                                && route.path().equals(form.action().path())));
  }

  @Test
  void everyChangingRouteRefusesCrossSiteRequests() {
    String session = session(join("7"));
    List<Route> changing =
        server.routes().stream().filter(route -> route.method() != Method.GET).toList();
    assertThat(changing).hasSizeGreaterThan(20);
    for (Route route : changing) {
      if (route.path().equals("/line/webhook")) {
        continue; // LINE signs its calls; no cookie counts.
      }
      if (route.path().equals("/gate/check")) {
        continue; // A proxy asks on behalf of requests of all sites; nothing changes.
      }
      String path = PLACEHOLDER.matcher(route.path()).replaceAll("7");
      for (String[] from :
          new String[][] {
            {"sec-fetch-site", "cross-site"},
            {"sec-fetch-site", "same-site"},
            {"origin", "https://evil.example"},
            {"origin", "null"}
          }) {
        HttpResponse<String> answer =
            server.callUntilAccepted(
                route.method().name(),
                path,
                "{}",
                from[0],
                from[1],
                "cookie",
                "fairgate_session=" + session);
        assertThat(answer.statusCode())
            .as("%s %s %s", route.method(), route.path(), from[1])
            .isIn(401, 403, 404);
      }
    }
    assertThat(
            server
                .call("GET", "/api/queue/status", "", "cookie", "fairgate_session=" + session)
                .statusCode())
        .as("the place is still there")
        .isEqualTo(200);
    String[] program = {"origin", "https://evil.example", "X-Session-Id", session};
    assertThat(server.call("POST", "/api/queue/leave", "", program).statusCode())
        .as("no other site can make a browser send the header")
        .isEqualTo(200);
  }

  @Test
  void overHttpsCookiesHaveTheHostPrefixAndOthersAreIgnored() {
    HttpResponse<String> joined = join("7", "X-Forwarded-Proto", "https");
    String session = session(joined);
    List<String> cookies = joined.headers().allValues("set-cookie");
    assertThat(cookies).hasSize(2);
    assertThat(cookies)
        .allSatisfy(
            line ->
                assertThat(line).startsWith("__Host-fairgate_").contains("; Path=/; ", "; Secure"));
    assertThat(cookie(join("7"), "fairgate_session")).isNotEmpty();
    String own = "__Host-fairgate_session=" + session;
    String planted = "fairgate_session=" + UUID.randomUUID();
    assertThat(statusOverHttps(own).body()).contains(session);
    assertThat(statusOverHttps(planted + "; " + own).body())
        .as("a neighbouring host cannot shut anybody out")
        .contains(session);
    assertThat(statusOverHttps("fairgate_session=" + session).statusCode())
        .as("nor have anybody act for its own place")
        .isEqualTo(400);
    HttpResponse<String> moved =
        join("7", "X-Forwarded-Proto", "https", "cookie", "fairgate_session=" + UUID.randomUUID());
    assertThat(moved.headers().allValues("set-cookie"))
        .as("the cookie without the prefix is taken back")
        .anyMatch(line -> line.startsWith("fairgate_session=;") && line.contains("Max-Age=0"));
  }

  private static HttpResponse<String> statusOverHttps(String cookies) {
    return server.call(
        "GET", "/api/queue/status", "", "cookie", cookies, "X-Forwarded-Proto", "https");
  }
}
