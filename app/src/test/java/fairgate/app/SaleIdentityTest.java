package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeSmsGateway;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Sales that count accounts or persons, over a socket on the whole server.
class SaleIdentityTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "correct horse 9";
  private static final AtomicInteger PRODUCTS = new AtomicInteger(870_000);

  private static final String SECRET = "whsec_" + "c2VjcmV0".repeat(5);
  private static final AtomicInteger PHONES =
      new AtomicInteger((int) (System.nanoTime() % 90_000_000));

  @SuppressWarnings("NullAway.Init")
  private static FakeSmsGateway gateway;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(PRODUCTS.incrementAndGet());

  @BeforeAll
  static void start() {
    gateway = FakeSmsGateway.start(0, SECRET, "AC1:token", Clock.systemUTC());
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits",
                "off",
                "messages.sms",
                "webhook",
                "messages.webhook_url",
                gateway.webhookUrl(),
                "messages.webhook_secret",
                SECRET));
  }

  @AfterAll
  static void stop() {
    server.close();
    gateway.close();
  }

  @Test
  void aSaleForAccountsAsksGuestsToSignIn() {
    sale("\"identity\":\"account\"");
    refused(join(), 401, "SIGN_IN_REQUIRED");
    String bearer = account();
    HttpResponse<String> first = join("Authorization", bearer);
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    refused(join("Authorization", bearer), 409, "ALREADY_IN_QUEUE");
  }

  @Test
  void anAccountHasToBeOldEnough() {
    sale("\"identity\":\"account\",\"min_account_age\":3600");
    lacks(join("Authorization", account()), "min_account_age");
  }

  @Test
  void anAccountHasToBeOlderThanTheAnnouncement() {
    sale("\"identity\":\"account\",\"verified_before\":\"2026-01-01T00:00:00Z\"");
    lacks(join("Authorization", account()), "verified_before");
  }

  @Test
  void aSaleForTelephonesNeedsAVerifiedOne() {
    sale("\"identity\":\"phone\"");
    lacks(join("Authorization", account()), "phone");
  }

  @Test
  void aPersonBuysOnceWithAnyAccountAndBrowser() {
    sale("\"identity\":\"person\"");
    server.openSale(product);
    String first = account();
    lacks(join("Authorization", first), "person");
    assertThat(verify(first, "A123456789").statusCode()).isEqualTo(200);
    String place = json(join("Authorization", first)).path("session_id").asText();
    String order = buy(place);
    // The buyer finds the order from another browser as well, a stranger does not.
    assertThat(order(order, first).statusCode()).isEqualTo(200);
    refused(order(order, account()), 404, "ORDER_NOT_FOUND");
    refused(join("Authorization", first), 409, "PURCHASE_LIMIT_REACHED");
    assertThat(
            post("/me/delete", "{\"password\":\"" + PASSWORD + "\"}", "Authorization", first)
                .statusCode())
        .isEqualTo(200);
    String second = account();
    assertThat(verify(second, "A123456789").statusCode()).isEqualTo(200);
    refused(join("Authorization", second), 409, "PURCHASE_LIMIT_REACHED");
  }

  @Test
  void aPersonThatMovesToAnotherAccountMeetsTheSamePlace() {
    sale("\"identity\":\"person\"");
    String first = account();
    assertThat(verify(first, "A123456789").statusCode()).isEqualTo(200);
    String place = json(join("Authorization", first)).path("session_id").asText();
    assertThat(removeNumber(first).path("removed").asBoolean()).isTrue();
    assertThat(removeNumber(first).path("removed").asBoolean()).isFalse();
    lacks(join("Authorization", first), "person");
    String second = account();
    assertThat(verify(second, "A123456789").statusCode()).isEqualTo(200);
    HttpResponse<String> again = join("Authorization", second);
    refused(again, 409, "ALREADY_IN_QUEUE");
    assertThat(json(again).path("session_id").asText()).isEqualTo(place);
    // The place ends, and nobody is locked out.
    assertThat(server.call("POST", "/api/queue/leave", "{}", "X-Session-Id", place).statusCode())
        .isEqualTo(200);
    assertThat(join("Authorization", second).statusCode()).isEqualTo(200);
    assertThat(verify(first, "B123456780").statusCode()).isEqualTo(200);
    assertThat(join("Authorization", first).statusCode()).isEqualTo(200);
  }

  @Test
  void anIdentityOfAnotherAccountIsRefusedWithAWayOut() {
    sale("\"identity\":\"person\"");
    assertThat(verify(account(), "A123456789").statusCode()).isEqualTo(200);
    String second = account();
    HttpResponse<String> refused = verify(second, "A123456789");
    refused(refused, 409, "IDENTITY_TAKEN");
    assertThat(json(refused).path("appeal_url").asText()).startsWith("/appeal/");
    Map.of(
            "en", "Sign in to that account.",
            "zh-TW", "請登入那個帳號。",
            "zh-CN", "请登录那个账号。")
        .forEach(
            (language, text) -> {
              HttpResponse<String> page =
                  server.callUntilAccepted(
                      "POST",
                      "/account/verify/number?kind=number&next=/p/" + product,
                      "name=Anna&id_number=A123456789&next=/p/" + product,
                      "Authorization",
                      second,
                      "Sec-Fetch-Site",
                      "same-origin",
                      "Accept-Language",
                      language);
              assertThat(page.statusCode()).as(page.body()).isEqualTo(409);
              assertThat(page.body()).contains(text, "href=\"/appeal/");
            });
  }

  @Test
  void aTelephoneHasOnePlaceAndOneLimitOverAccountsAndBrowsers() {
    sale("\"identity\":\"phone\"");
    server.openSale(product);
    String phone = "+8869%08d".formatted(PHONES.incrementAndGet());
    String first = account();
    verifyPhone(first, phone);
    String place = json(join("Authorization", first)).path("session_id").asText();
    // The same telephone in another notation, by another account in another browser.
    assertThat(call("DELETE", "/identity/phone", "", first).statusCode()).isEqualTo(200);
    String second = account();
    verifyPhone(second, phone.replace("+886", "+886 (0) "));
    HttpResponse<String> again = join("Authorization", second);
    refused(again, 409, "ALREADY_IN_QUEUE");
    assertThat(json(again).path("session_id").asText()).isEqualTo(place);
    var _ = buy(place);
    refused(join("Authorization", second), 409, "PURCHASE_LIMIT_REACHED");
  }

  @Test
  void thePlaceOfATelephoneEndsWithTheAccount() {
    sale("\"identity\":\"phone\"");
    String phone = "+8869%08d".formatted(PHONES.incrementAndGet());
    String first = account();
    verifyPhone(first, phone);
    String place = json(join("Authorization", first)).path("session_id").asText();
    assertThat(
            call("POST", "/me/delete", "{\"password\":\"" + PASSWORD + "\"}", first).statusCode())
        .isEqualTo(200);
    String second = account();
    verifyPhone(second, phone);
    HttpResponse<String> joined = join("Authorization", second);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    assertThat(json(joined).path("session_id").asText()).isNotEqualTo(place);
  }

  @Test
  void aTelephoneHasToBeVerifiedBeforeTheAnnouncement() {
    sale("\"identity\":\"phone\",\"verified_before\":\"2026-01-01T00:00:00Z\"");
    String buyer = account();
    verifyPhone(buyer, "+8869%08d".formatted(PHONES.incrementAndGet()));
    lacks(join("Authorization", buyer), "verified_before");
  }

  @Test
  void aCodeOfAnotherLengthIsExplained() {
    HttpResponse<String> answer =
        server.call(
            "POST",
            "/api/v1/identity/phone/confirm",
            "{\"phone\":\"+886912345678\",\"code\":\"12\"}",
            "Authorization",
            account(),
            "Accept-Language",
            "en");
    refused(answer, 400, "INVALID_REQUEST");
    assertThat(json(answer).path("message").asText()).contains("six digits");
  }

  @Test
  void anotherTelephoneBetweenJoinAndPurchaseChangesNothing() {
    sale("\"identity\":\"phone\"");
    server.openSale(product);
    String phone = "+8869%08d".formatted(PHONES.incrementAndGet());
    String buyer = account();
    verifyPhone(buyer, phone);
    String place = json(join("Authorization", buyer)).path("session_id").asText();
    verifyPhone(buyer, "+8869%08d".formatted(PHONES.incrementAndGet()));
    var _ = buy(place);
    String second = account();
    verifyPhone(second, phone);
    refused(join("Authorization", second), 409, "PURCHASE_LIMIT_REACHED");
  }

  @Test
  void eachAccountHasAPlaceOfItsOwnInOneBrowser() {
    sale("\"identity\":\"account\"");
    HttpResponse<String> anna = join("Authorization", account());
    assertThat(anna.statusCode()).isEqualTo(200);
    String cookies =
        String.join(
            "; ",
            anna.headers().allValues("set-cookie").stream()
                .map(cookie -> cookie.split(";", 2)[0])
                .toList());
    HttpResponse<String> bert = join("Authorization", account(), "Cookie", cookies);
    assertThat(bert.statusCode()).as(bert.body()).isEqualTo(200);
    assertThat(json(bert).path("session_id")).isNotEqualTo(json(anna).path("session_id"));
  }

  @Test
  void thePageSaysAsWhomTheSaleCountsABuyer() {
    Map<String, String> words =
        Map.of(
            "device", "At most 3 per browser",
            "account", "At most 3 per account",
            "phone", "At most 3 per telephone number",
            "person", "At most 3 per person");
    words.forEach(
        (identity, text) -> {
          String id = Integer.toString(PRODUCTS.incrementAndGet());
          String policy =
              "{\"preset\":\"queue\",\"max_per_user\":3,\"identity\":\"%s\"}".formatted(identity);
          server.createProduct(id, 5, policy);
          HttpResponse<String> page = server.call("GET", "/p/" + id, "", "Accept-Language", "en");
          assertThat(page.body()).contains(text);
          assertThat(json(server.call("GET", "/api/products/" + id, "")).path("identity").asText())
              .isEqualTo(identity);
        });
  }

  @Test
  void theIdentityOfARunningSaleChangesOnlyWhenItIsConfirmed() {
    sale("\"identity\":\"device\"");
    server.openSale(product);
    String change = "{\"policy\":{\"identity\":\"account\"}%s}";
    HttpResponse<String> refused = admin(server, "PATCH", "/" + product, change.formatted(""));
    refused(refused, 409, "CONFIRMATION_REQUIRED");
    assertThat(json(refused).path("changes").toString())
        .isEqualTo("{\"identity\":{\"from\":\"device\",\"to\":\"account\"}}");
    String confirmed = change.formatted(",\"confirm\":[\"identity\"]");
    assertThat(admin(server, "PATCH", "/" + product, confirmed).statusCode()).isEqualTo(200);
    refused(join(), 401, "SIGN_IN_REQUIRED");
  }

  @Test
  void aSaleThatNobodyCouldJoinIsRefused() {
    try (TestFairgate deaf =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("identity.provider", "off"))) {
      String bare = "{\"id\":\"%s\",\"name\":\"T\",\"price\":1,\"total_stock\":1%s}";
      unverifiable(
          admin(deaf, "POST", "", bare.formatted(product, policy("phone"))), "messages.sms");
      unverifiable(
          admin(deaf, "POST", "", bare.formatted(product, policy("person"))),
          "person_register.url");
      assertThat(admin(deaf, "POST", "", bare.formatted(product, policy("account"))).statusCode())
          .isEqualTo(201);
      String change = "{\"policy\":{\"identity\":\"phone\"}}";
      unverifiable(admin(deaf, "PATCH", "/" + product, change), "messages.sms");
    }
  }

  private static String policy(String identity) {
    return ",\"policy\":{\"preset\":\"queue\",\"identity\":\"" + identity + "\"}";
  }

  private static HttpResponse<String> admin(
      TestFairgate at, String method, String path, String body) {
    return at.call(
        method,
        "/api/admin/products" + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  private static void unverifiable(HttpResponse<String> answer, String setting) {
    refused(answer, 400, "INVALID_REQUEST");
    assertThat(json(answer).path("message").asText()).contains("policy.identity", setting);
  }

  private JsonNode removeNumber(String bearer) {
    HttpResponse<String> answer =
        server.call("DELETE", "/api/v1/identity/number/" + product, "", "Authorization", bearer);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return json(answer);
  }

  /// Places do not expire while their owners sign in and verify.
  private void sale(String fields) {
    server.createProduct(
        product,
        5,
        "{\"preset\":\"queue\",\"show_up_seconds\":null,\"presence_timeout_seconds\":null,"
            + fields
            + "}");
  }

  private static HttpResponse<String> post(String path, String body, String... headers) {
    return server.callUntilAccepted("POST", "/api/v1" + path, body, headers);
  }

  private static String account() {
    String credentials =
        "{\"username\":\"u%s\",\"password\":\"%s\"}"
            .formatted(UUID.randomUUID().toString().substring(0, 12), PASSWORD);
    var _ = post("/register", credentials);
    HttpResponse<String> login = post("/login", credentials);
    assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
    return "Bearer " + json(login).path("token").asText();
  }

  private static HttpResponse<String> call(String method, String path, String body, String bearer) {
    return server.callUntilAccepted(method, "/api/v1" + path, body, "Authorization", bearer);
  }

  private static void verifyPhone(String bearer, String phone) {
    long before = gateway.delivered().size();
    HttpResponse<String> sent =
        call("POST", "/identity/phone", "{\"phone\":\"" + phone + "\"}", bearer);
    assertThat(sent.statusCode()).as(sent.body()).isEqualTo(202);
    List<FakeSmsGateway.Sms> messages =
        Eventually.get("an SMS", gateway::delivered, all -> all.size() > before);
    String body =
        "{\"phone\":\"%s\",\"code\":\"%s\"}"
            .formatted(phone, messages.getLast().text().substring(0, 6));
    HttpResponse<String> confirmed = call("POST", "/identity/phone/confirm", body, bearer);
    assertThat(confirmed.statusCode()).as(confirmed.body()).isEqualTo(200);
  }

  private HttpResponse<String> verify(String bearer, String number) {
    String body =
        "{\"product_id\":\"%s\",\"name\":\"Anna\",\"id_number\":\"%s\"}".formatted(product, number);
    return post("/identity/number", body, "Authorization", bearer);
  }

  private HttpResponse<String> join(String... headers) {
    String body =
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product);
    return server.callUntilAccepted("POST", "/api/queue/join", body, headers);
  }

  private String buy(String place) {
    HttpResponse<String> bought =
        Eventually.get(
            "a purchase",
            () -> server.buy(place, product, place),
            answer -> answer.statusCode() == 200);
    return json(bought).path("order_id").asText();
  }

  private static HttpResponse<String> order(String order, String bearer) {
    return server.callUntilAccepted("GET", "/api/orders/" + order, "", "Authorization", bearer);
  }

  private static void lacks(HttpResponse<String> answer, String required) {
    refused(answer, 403, "VERIFICATION_REQUIRED");
    assertThat(json(answer).path("required").asText()).isEqualTo(required);
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(json(answer).path("error").asText()).isEqualTo(code);
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }
}
