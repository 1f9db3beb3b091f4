package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Tiers of a sale, their lists and links, over a socket on the whole server.
@Tag("journey")
class InvitationTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PASSWORD = "correct horse 9";
  private static final AtomicInteger PRODUCTS = new AtomicInteger(880_000);

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String product = Integer.toString(PRODUCTS.incrementAndGet());
  private final String until = Instant.now().plusSeconds(3_600).toString();

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

  @Test
  void aLinkAdmitsOneBrowserToItsTier() {
    sale(tier("Members", "invitation"));
    String code = links("Members", 2).getFirst();
    JsonNode joined = json(join(code, browser("one")));
    assertThat(joined.path("success").asBoolean()).as(joined.toString()).isTrue();
    assertThat(status(joined).path("tier").asInt()).isEqualTo(1);
    refused(join(code, browser("two")), 403, "INVITATION_INVALID");
    refused(join(code, browser("one")), 409, "ALREADY_IN_QUEUE");
    JsonNode counts = json(admin("GET", "/invitations", "")).path("tiers").get(0);
    assertThat(counts.path("links").asInt()).isEqualTo(2);
    assertThat(counts.path("used_links").asInt()).isEqualTo(1);
  }

  @Test
  void anInventedCodeIsRefusedAndTakesNoPlace() {
    sale(tier("Members", "invitation"));
    for (String code : List.of("AAAAAAAAAAAAAAAAAAAAAA", "x", "' OR 1=1", "\uD83D\uDE00")) {
      refused(join(code, browser("any")), 403, "INVITATION_INVALID");
    }
    assertThat(json(join("", browser("any"))).path("success").asBoolean()).isTrue();
  }

  @Test
  void peopleOfAListAreRecognizedByTheirAccount() {
    sale(tier("Members", "invitation") + "," + tier("Accounts", "account"));
    List<String> anna = account();
    List<String> bert = account();
    HttpResponse<String> added =
        admin("POST", "/invitations?tier=Members", "kind,value\r\naccount," + anna.get(1) + "\r\n");
    assertThat(added.statusCode()).as(added.body()).isEqualTo(200);
    JsonNode first = json(join("", "Authorization", anna.getFirst()));
    JsonNode second = json(join("", "Authorization", bert.getFirst()));
    assertThat(status(first).path("tier").asInt()).isEqualTo(1);
    assertThat(status(second).path("tier").asInt()).isEqualTo(2);
    assertThat(status(json(join("", browser("guest")))).has("tier")).isFalse();
  }

  @Test
  void anIdentityThatMovesToAnotherAccountGivesNoSecondPlaceInTheTier() {
    sale(tier("Members", "invitation") + "," + tier("Persons", "person"));
    assertThat(admin("POST", "/invitations?tier=Members", "person,B123456780").statusCode())
        .isEqualTo(200);
    assertThat(tierOfPerson("B123456780")).isEqualTo(1);
    assertThat(tierOfPerson("B123456780")).as("listed").isZero();
    assertThat(tierOfPerson("A123456789")).isEqualTo(2);
    assertThat(tierOfPerson("A123456789")).as("verified").isZero();
  }

  /// The tier of a new account that verifies the number, joins and removes the number again.
  private int tierOfPerson(String number) {
    String bearer = account().getFirst();
    String body =
        "{\"product_id\":\"%s\",\"name\":\"Anna\",\"id_number\":\"%s\"}".formatted(product, number);
    HttpResponse<String> verified =
        server.callUntilAccepted("POST", "/api/v1/identity/number", body, "Authorization", bearer);
    assertThat(verified.statusCode()).as(verified.body()).isEqualTo(200);
    JsonNode place = json(join("", "Authorization", bearer));
    int tier = status(place).path("tier").asInt();
    refused(join("", "Authorization", bearer), 409, "ALREADY_IN_QUEUE");
    assertThat(status(place).path("tier").asInt()).as("a repeat").isEqualTo(tier);
    assertThat(
            server
                .call("DELETE", "/api/v1/identity/number/" + product, "", "Authorization", bearer)
                .statusCode())
        .isEqualTo(200);
    return tier;
  }

  @Test
  void aWaitingPlaceMovesToTheTierOfItsInvitation() {
    sale(tier("Members", "invitation"));
    String cookie = browser("late")[1];
    JsonNode place = json(join("", "Cookie", cookie));
    assertThat(status(place).has("tier")).isFalse();
    refused(join(links("Members", 1).getFirst(), "Cookie", cookie), 409, "ALREADY_IN_QUEUE");
    assertThat(status(place).path("tier").asInt()).isEqualTo(1);
  }

  @Test
  void wrongListsAndTiersAreRefusedWithTheirReason() {
    sale(tier("Members", "invitation"));
    refused(admin("POST", "/invitations?tier=Friends", "email,a@example.com"), 400, "tier");
    refused(admin("POST", "/invitations", "email,a@example.com"), 400, "tier");
    refused(
        admin("POST", "/invitations?tier=Members", "email,a@example.com\nphone"), 400, "line 2");
    refused(admin("POST", "/invitations?tier=Members", "telephone,+886912345678"), 400, "line 1");
    refused(
        admin("POST", "/invitation-links", "{\"tier\":\"Members\",\"number\":0}"), 400, "number");
    refused(admin("POST", "/invitation-links", "{\"tier\":\"Members\",\"n\":1}"), 400, "n");
    assertThat(json(admin("GET", "/invitations", "")).path("tiers")).isEmpty();
    assertThat(
            server
                .call("GET", "/api/admin/products/%s/invitations".formatted(product), "")
                .statusCode())
        .isEqualTo(401);
  }

  @Test
  void aListIsStoredAsHashesAndCanBeRemoved() {
    sale(tier("Members", "invitation"));
    String list =
        "phone,+886 912 345 678\nphone,+886912345678\nemail,Anna@Example.com\nperson,A-123456789\n";
    assertThat(admin("POST", "/invitations?tier=Members", list).statusCode()).isEqualTo(200);
    var _ = links("Members", 3);
    JsonNode counts = json(admin("GET", "/invitations", "")).path("tiers").get(0);
    assertThat(counts.path("people").asInt()).isEqualTo(3);
    JsonNode removed = json(admin("DELETE", "/invitations?tier=Members", ""));
    assertThat(removed.path("removed").asInt()).isEqualTo(6);
    assertThat(json(admin("GET", "/invitations", "")).path("tiers")).isEmpty();
  }

  @Test
  void theSaleTellsEverybodyWhoComesFirst() {
    sale(tier("Members", "invitation"));
    JsonNode told = json(server.call("GET", "/api/products/" + product, ""));
    assertThat(told.path("open_share").asInt()).isEqualTo(70);
    assertThat(told.path("priority").get(0).path("name").asText()).isEqualTo("Members");
    assertThat(server.call("GET", "/p/" + product, "", "Accept-Language", "en").body())
        .contains("30 % of the items: invited people,")
        .contains("70 % of the items are open to everybody from the start.");
  }

  private String tier(String name, String group) {
    return "{\"name\":\"%s\",\"share\":30,\"until\":\"%s\",\"for\":\"%s\"}"
        .formatted(name, until, group);
  }

  private void sale(String tiers) {
    String policy = "{\"preset\":\"queue\",\"ready_slots\":1,\"priority\":[" + tiers + "]}";
    server.createProduct(product, 10, policy);
  }

  private HttpResponse<String> admin(String method, String path, String body) {
    return server.callUntilAccepted(
        method,
        "/api/admin/products/" + product + path,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR);
  }

  private List<String> links(String tier, int number) {
    JsonNode made =
        json(
            admin(
                "POST",
                "/invitation-links",
                "{\"tier\":\"%s\",\"number\":%d}".formatted(tier, number)));
    List<String> codes = new ArrayList<>();
    made.path("links")
        .forEach(link -> codes.add(link.asText().substring(link.asText().indexOf('=') + 1)));
    assertThat(codes).as(made.toString()).hasSize(number);
    return codes;
  }

  /// The token and the name of a new account.
  private static List<String> account() {
    String credentials =
        "{\"username\":\"u%s\",\"password\":\"%s\"}"
            .formatted(UUID.randomUUID().toString().substring(0, 12), PASSWORD);
    var _ = server.callUntilAccepted("POST", "/api/v1/register", credentials);
    JsonNode login = json(server.callUntilAccepted("POST", "/api/v1/login", credentials));
    String bearer = "Bearer " + login.path("token").asText();
    return List.of(bearer, login.path("username").asText());
  }

  private final java.util.Map<String, String> cookies =
      new java.util.concurrent.ConcurrentHashMap<>();

  /// The cookie of a browser that has visited before.
  private String[] browser(String name) {
    String cookie =
        cookies.computeIfAbsent(
            name,
            _ ->
                server
                    .call("GET", "/api/challenge?product_id=" + product, "")
                    .headers()
                    .allValues("set-cookie")
                    .stream()
                    .map(header -> header.substring(0, header.indexOf(';')))
                    .findFirst()
                    .orElseThrow());
    return new String[] {"Cookie", cookie};
  }

  private HttpResponse<String> join(String invitation, String... headers) {
    String body =
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"%s}"
            .formatted(
                product, invitation.isEmpty() ? "" : ",\"invitation\":\"" + invitation + "\"");
    return server.callUntilAccepted("POST", "/api/queue/join", body, headers);
  }

  private static JsonNode status(JsonNode joined) {
    String session = joined.path("session_id").asText();
    return json(server.callUntilAccepted("GET", "/api/queue/status", "", "X-Session-Id", session));
  }

  private static void refused(HttpResponse<String> reply, int status, String text) {
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(status);
    assertThat(reply.body()).contains(text);
  }

  private static JsonNode json(HttpResponse<String> reply) {
    try {
      return JSON.readTree(reply.body());
    } catch (IOException e) {
      throw new AssertionError(reply.body(), e);
    }
  }
}
