package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The routes of accounts and identities over a socket, on the whole server.
class AccountRoutesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "correct horse 9";
  private static final AtomicInteger PRODUCTS = new AtomicInteger(880_000);

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String name = "u" + UUID.randomUUID().toString().substring(0, 12);

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of("limits", "off"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> post(String path, String body, String... headers) {
    return server.callUntilAccepted("POST", "/api/v1" + path, body, headers);
  }

  private static String credentials(String username, String password) {
    return "{\"username\":\"%s\",\"password\":\"%s\"}".formatted(username, password);
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(json(answer).path("error").asText()).isEqualTo(code);
  }

  /// Registers unless the account exists, and signs in.
  private String bearer() {
    var _ = post("/register", credentials(name, PASSWORD));
    HttpResponse<String> login = post("/login", credentials(name, PASSWORD));
    assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
    return "Bearer " + json(login).path("token").asText();
  }

  private static String cookie(HttpResponse<String> answer) {
    return answer.headers().allValues("set-cookie").stream()
        .filter(line -> line.contains("fairgate_account"))
        .findFirst()
        .orElse("");
  }

  @Test
  void anAccountIsMadeOnce() {
    HttpResponse<String> made = post("/register", credentials(name, PASSWORD));
    assertThat(made.statusCode()).isEqualTo(201);
    assertThat(json(made).path("success").asBoolean()).isTrue();
    assertThat(json(made).path("username").asText()).isEqualTo(name);
    assertThat(json(made).path("account_id").asText()).matches("acc_[\\w-]{22}");
    assertThat(made.body()).doesNotContain("argon2", PASSWORD);
    refused(post("/register", credentials(name, PASSWORD)), 409, "USERNAME_TAKEN");
  }

  private static String change(String current, String next) {
    return "{\"current_password\":\"%s\",\"new_password\":\"%s\"}".formatted(current, next);
  }

  @Test
  void aPasswordIsChangedResetByAnOperatorAndTheAccountDeleted() {
    String[] auth = {"Authorization", bearer()};
    String next = "staple of wild horses";
    refused(post("/password", change(PASSWORD, next)), 401, "UNAUTHORIZED");
    refused(post("/password", change("wrong", next), auth), 401, "INVALID_CREDENTIALS");
    refused(post("/password", change(PASSWORD, "short"), auth), 400, "INVALID_REQUEST");
    assertThat(post("/password", change(PASSWORD, next), auth).statusCode()).isEqualTo(200);
    assertThat(post("/login", credentials(name, next)).statusCode()).isEqualTo(200);
    JsonNode made = json(admin("POST", "/api/admin/accounts/" + name + "/reset"));
    String token = made.path("token").asText();
    String reset = "{\"token\":\"" + token + "\",\"new_password\":\"" + PASSWORD + "\"}";
    assertThat(json(post("/password/reset", reset)).path("revoked").asInt()).isEqualTo(2);
    refused(post("/password/reset", reset), 400, "INVALID_REQUEST");
    assertThat(server.callUntilAccepted("GET", "/api/v1/me", "", auth).statusCode()).isEqualTo(401);
    String[] again = {"Authorization", bearer()};
    refused(post("/me/delete", "{\"password\":\"wrong\"}", again), 401, "INVALID_CREDENTIALS");
    String proof = "{\"password\":\"" + PASSWORD + "\"}";
    assertThat(post("/me/delete", proof, again).statusCode()).isEqualTo(200);
    assertThat(server.callUntilAccepted("GET", "/api/v1/me", "", again).statusCode())
        .isEqualTo(401);
    refused(post("/register", credentials(name, PASSWORD)), 409, "USERNAME_TAKEN");
    refused(admin("POST", "/api/admin/accounts/" + name + "/reset"), 404, "NOT_FOUND");
  }

  @Test
  void anOperatorDeletesAnAccountAndNobodyElseDoes() {
    String[] auth = {"Authorization", bearer()};
    assertThat(server.call("DELETE", "/api/admin/accounts/" + name, "", auth).statusCode())
        .isEqualTo(401);
    assertThat(admin("DELETE", "/api/admin/accounts/" + name).statusCode()).isEqualTo(200);
    assertThat(admin("DELETE", "/api/admin/accounts/" + name).statusCode()).isEqualTo(404);
    assertThat(server.callUntilAccepted("GET", "/api/v1/me", "", auth).statusCode()).isEqualTo(401);
  }

  private static HttpResponse<String> admin(String method, String path) {
    return server.callUntilAccepted(
        method, path, "", "Authorization", "Bearer " + TestFairgate.OPERATOR);
  }

  private static HttpResponse<String> form(String path, String body, String token) {
    return server.callUntilAccepted(
        "POST",
        path,
        body,
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Sec-Fetch-Site",
        "same-origin",
        "Cookie",
        "fairgate_account=" + token);
  }

  @Test
  void theAccountsPageChangesThePasswordAndDeletesTheAccount() {
    String token = bearer().substring("Bearer ".length());
    String home =
        server
            .callUntilAccepted("GET", "/account", "", "Cookie", "fairgate_account=" + token)
            .body();
    assertThat(home).contains("/account/password", "/account/delete");
    HttpResponse<String> wrong =
        form("/account/password", "password=wrong&new_password=staple+of+wild", token);
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.body()).contains("role=\"alert\"", name);
    String body = "password=" + PASSWORD.replace(' ', '+') + "&new_password=staple+of+wild";
    assertThat(form("/account/password", body, token).statusCode()).isEqualTo(303);
    String reset =
        json(admin("POST", "/api/admin/accounts/" + name + "/reset")).path("token").asText();
    assertThat(server.callUntilAccepted("GET", "/account/reset", "").statusCode()).isEqualTo(200);
    assertThat(form("/account/reset", "token=none&password=wild+staple+9", "").statusCode())
        .isEqualTo(400);
    assertThat(
            form("/account/reset", "token=" + reset + "&password=wild+staple+9", "").statusCode())
        .isEqualTo(303);
    HttpResponse<String> login = post("/login", credentials(name, "wild staple 9"));
    String next = json(login).path("token").asText();
    HttpResponse<String> gone = form("/account/delete", "password=wild+staple+9", next);
    assertThat(gone.statusCode()).isEqualTo(303);
    assertThat(cookie(gone)).contains("Max-Age=0");
    refused(post("/login", credentials(name, "wild staple 9")), 401, "INVALID_CREDENTIALS");
  }

  @Test
  void badInputIsExplained() {
    for (String body :
        new String[] {
          "",
          "{}",
          "[]",
          credentials("a b", PASSWORD),
          credentials("admin", PASSWORD),
          credentials("pаypal", PASSWORD),
          credentials(name, "short"),
          credentials(name, "password1"),
          credentials(name, name),
          credentials("", ""),
          "{\"username\":1,\"password\":true}",
          credentials(name, "x".repeat(129)),
          credentials("x".repeat(600), PASSWORD)
        }) {
      refused(post("/register", body, "Accept-Language", "en"), 400, "INVALID_REQUEST");
    }
    assertThat(json(post("/register", credentials(name, "password1"))).path("field").asText())
        .isEqualTo("password");
  }

  @Test
  void signingInReturnsATokenAndACookieForThisMachine() {
    var _ = post("/register", credentials(name, PASSWORD));
    HttpResponse<String> login = post("/login", credentials(name, PASSWORD));
    JsonNode json = json(login);
    assertThat(json.path("expires_at").asText()).matches("\\d{4}-\\d\\d-\\d\\dT.*Z");
    assertThat(cookie(login))
        .startsWith("fairgate_account=" + json.path("token").asText())
        .contains("HttpOnly", "SameSite=Lax", "Path=/")
        .doesNotContain("Secure");
    HttpResponse<String> me =
        server.callUntilAccepted(
            "GET", "/api/v1/me", "", "Cookie", "fairgate_account=" + json.path("token").asText());
    assertThat(json(me).path("username").asText()).isEqualTo(name);
  }

  @Test
  void behindHttpsTheCookieIsForThisHostOnly() {
    Map<String, String> settings = Map.of("limits", "off", "server.trusted_proxies", "127.0.0.1");
    try (TestFairgate behindProxy =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings)) {
      String[] https = {"X-Forwarded-Proto", "https", "Cookie", "none=0"};
      String body = credentials(name, PASSWORD);
      var _ = behindProxy.callUntilAccepted("POST", "/api/v1/register", body, https);
      HttpResponse<String> login =
          behindProxy.callUntilAccepted("POST", "/api/v1/login", body, https);
      assertThat(cookie(login))
          .startsWith("__Host-fairgate_account=")
          .contains("; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax")
          .doesNotContain("Domain");
      String token = json(login).path("token").asText();
      https[3] = "__Host-fairgate_account=" + token;
      assertThat(behindProxy.call("GET", "/api/v1/me", "", https).statusCode()).isEqualTo(200);
      // A cookie that another host could have set is ignored there.
      https[3] = "fairgate_account=" + token;
      refused(behindProxy.call("GET", "/api/v1/me", "", https), 401, "UNAUTHORIZED");
    }
  }

  /// On plain http a browser drops a cookie with `Secure`, so nobody could sign in.
  @Test
  void onlyATrustedProxyCanReportHttps() {
    String[] claim = {"X-Forwarded-Proto", "https"};
    var _ = post("/register", credentials(name, PASSWORD));
    HttpResponse<String> login = post("/login", credentials(name, PASSWORD), claim);
    assertThat(cookie(login)).startsWith("fairgate_account=").doesNotContain("Secure");
  }

  @Test
  void wrongPasswordsAndUnknownNamesHaveTheSameResponse() {
    var _ = post("/register", credentials(name, PASSWORD));
    HttpResponse<String> wrong = post("/login", credentials(name, "some other password"));
    HttpResponse<String> unknown = post("/login", credentials(name + "x", "some other password"));
    refused(wrong, 401, "INVALID_CREDENTIALS");
    assertThat(unknown.body().replaceAll("\"request_id\":\"[^\"]*\"", ""))
        .isEqualTo(wrong.body().replaceAll("\"request_id\":\"[^\"]*\"", ""));
    assertThat(unknown.statusCode()).isEqualTo(wrong.statusCode());
    assertThat(unknown.headers().map().keySet()).isEqualTo(wrong.headers().map().keySet());
  }

  @Test
  void sessionsAreListedAndEnded() {
    String first = bearer();
    String second = bearer();
    JsonNode list =
        json(server.callUntilAccepted("GET", "/api/v1/sessions", "", "Authorization", first))
            .path("sessions");
    assertThat(list).hasSize(2);
    assertThat(list.get(0).path("current").asBoolean()).isFalse();
    assertThat(list.get(1).path("current").asBoolean()).isTrue();
    String other = list.get(0).path("id").asText();
    HttpResponse<String> ended =
        server.call("DELETE", "/api/v1/sessions/" + other, "", "Authorization", first);
    assertThat(ended.body()).isEqualTo("{\"success\":true,\"revoked\":1}");
    refused(
        server.callUntilAccepted("GET", "/api/v1/me", "", "Authorization", second),
        401,
        "UNAUTHORIZED");
    refused(
        server.call("DELETE", "/api/v1/sessions/" + other, "", "Authorization", first),
        404,
        "NOT_FOUND");
    String third = bearer();
    assertThat(server.call("DELETE", "/api/v1/sessions", "", "Authorization", third).body())
        .isEqualTo("{\"success\":true,\"revoked\":1}");
    refused(
        server.callUntilAccepted("GET", "/api/v1/me", "", "Authorization", first),
        401,
        "UNAUTHORIZED");
  }

  @Test
  void signingOutEndsTheSessionAndARepeatChangesNothing() {
    String bearer = bearer();
    for (int i = 0; i < 2; i++) {
      HttpResponse<String> out = post("/logout", "", "Authorization", bearer);
      assertThat(out.statusCode()).isEqualTo(200);
      assertThat(cookie(out)).contains("Max-Age=0");
    }
    refused(
        server.callUntilAccepted("GET", "/api/v1/me", "", "Authorization", bearer),
        401,
        "UNAUTHORIZED");
  }

  @Test
  void guestsAreAskedToSignIn() {
    for (String path : new String[] {"/me", "/sessions", "/identity"}) {
      HttpResponse<String> answer = server.callUntilAccepted("GET", "/api/v1" + path, "");
      refused(answer, 401, "UNAUTHORIZED");
      assertThat(answer.headers().firstValue("www-authenticate")).isPresent();
    }
    refused(server.call("DELETE", "/api/v1/sessions", ""), 401, "UNAUTHORIZED");
    refused(server.call("DELETE", "/api/v1/sessions/x", ""), 401, "UNAUTHORIZED");
    refused(post("/identity/phone", "{\"phone\":\"+886912345678\"}"), 401, "UNAUTHORIZED");
  }

  @Test
  void anotherSitesPageCannotActForTheVisitor() {
    String bearer = bearer();
    String token = bearer.substring(7);
    String[] foreign = {"Cookie", "fairgate_account=" + token, "Sec-Fetch-Site", "cross-site"};
    refused(post("/logout", "", foreign), 403, "FORBIDDEN");
    refused(server.call("DELETE", "/api/v1/sessions", "", foreign), 403, "FORBIDDEN");
    refused(post("/login", credentials(name, PASSWORD), foreign), 403, "FORBIDDEN");
    assertThat(
            server.callUntilAccepted("GET", "/api/v1/me", "", "Authorization", bearer).statusCode())
        .isEqualTo(200);
  }

  private static HttpResponse<String> join(String product, String... headers) {
    return server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product),
        headers);
  }

  @Test
  void anAccountHasOnePlaceInAQueueOnAllItsDevices() {
    String product = Integer.toString(PRODUCTS.incrementAndGet());
    server.createProduct(product, 5, "{\"preset\":\"queue\"}");
    String bearer = bearer();
    HttpResponse<String> phone = join(product, "Authorization", bearer);
    String place = json(phone).path("session_id").asText();
    assertThat(phone.statusCode()).isEqualTo(200);
    // Without a device cookie, every call is a new device.
    HttpResponse<String> laptop = join(product, "Authorization", bearer());
    refused(laptop, 409, "ALREADY_IN_QUEUE");
    assertThat(json(laptop).path("session_id").asText()).isEqualTo(place);
    assertThat(join(product).statusCode()).isEqualTo(200);
  }

  @Test
  void limitsCountByAccountOnAnyDevice() {
    String product = Integer.toString(PRODUCTS.incrementAndGet());
    server.createProduct(
        product, 5, "{\"preset\":\"queue\",\"max_per_user\":1,\"payment\":\"none\"}");
    server.openSale(product);
    String bearer = bearer();
    String place = json(join(product, "Authorization", bearer)).path("session_id").asText();
    String body = "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product);
    buyWhenReady(place, body);
    refused(join(product, "Authorization", bearer()), 409, "PURCHASE_LIMIT_REACHED");
    assertThat(join(product).statusCode()).isEqualTo(200);
  }

  private static void buyWhenReady(String place, String body) {
    var _ =
        Eventually.get(
            "a purchase",
            () -> server.call("POST", "/api/purchase", body, "X-Session-Id", place),
            answer -> answer.statusCode() == 200);
  }

  @Test
  void refusalsOfIdentitiesHaveATextForThePerson() {
    String bearer = bearer();
    String[] as = {"Authorization", bearer};
    refused(post("/identity/phone", "{\"phone\":\"0912\"}", as), 400, "INVALID_REQUEST");
    // +886 99 are personal numbers, which are refused.
    String phone = "+8869%08d".formatted(System.nanoTime() % 90_000_000L);
    HttpResponse<String> sent = post("/identity/phone", "{\"phone\":\"%s\"}".formatted(phone), as);
    assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
    assertThat(sent.body()).doesNotContain(phone);
    refused(
        post("/identity/phone/confirm", "{\"phone\":\"%s\",\"code\":\"12\"}".formatted(phone), as),
        400,
        "INVALID_REQUEST");
    String number = "{\"product_id\":\"%s\",\"name\":\"Anna\",\"id_number\":\"A1-23 456\"}";
    refused(post("/identity/number", number.formatted("999999"), as), 404, "PRODUCT_NOT_FOUND");
    refused(post("/identity/number", number.formatted("x"), as), 400, "INVALID_REQUEST");
    String product = Integer.toString(PRODUCTS.incrementAndGet());
    server.createProduct(product, 5, "{\"preset\":\"queue\"}");
    HttpResponse<String> verified = post("/identity/number", number.formatted(product), as);
    assertThat(verified.statusCode()).as(verified.body()).isEqualTo(200);
    assertThat(json(verified).path("hint").asText()).isEqualTo("56");
    JsonNode all =
        json(server.callUntilAccepted("GET", "/api/v1/identity", "", as)).path("identities");
    assertThat(all.get(0).path("product_id").asText()).isEqualTo(product);
  }
}
