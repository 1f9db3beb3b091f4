package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.risk.StepBundle;
import fairgate.testkit.SoftAuthenticator;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The routes of passkeys over a socket, with an authenticator whose answers the test chooses.
class PasskeyRoutesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ORIGIN = "https://tickets.example.com";
  private static final String RP = "tickets.example.com";
  private static final String PASSWORD = "correct horse 9";

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final SoftAuthenticator authenticator = new SoftAuthenticator();
  private final String bearer;
  private final String account;

  PasskeyRoutesTest() {
    String credentials =
        "{\"username\":\"u%s\",\"password\":\"%s\"}"
            .formatted(UUID.randomUUID().toString().substring(0, 12), PASSWORD);
    var _ = server.callUntilAccepted("POST", "/api/v1/register", credentials);
    HttpResponse<String> login = server.callUntilAccepted("POST", "/api/v1/login", credentials);
    assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
    bearer = "Bearer " + json(login).path("token").asText();
    account = json(call("GET", "/me", "", "authorization", bearer)).path("account_id").asText();
  }

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings());
  }

  private static Map<String, String> settings() {
    Map<String, String> settings = StepBundle.settings(folder);
    settings.put("limits", "off");
    settings.put("sign_in.base_url", ORIGIN);
    return settings;
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> call(
      String method, String path, String body, String... headers) {
    return server.callUntilAccepted(method, "/api/v1" + path, body, headers);
  }

  private static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new AssertionError(answer.body(), e);
    }
  }

  /// A challenge, and the cookie that belongs to it.
  private record Challenge(String text, String cookie) {}

  private Challenge challenge(String path) {
    HttpResponse<String> answer = call("POST", path, "{}", "authorization", bearer);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String cookie =
        answer.headers().allValues("set-cookie").stream()
            .filter(line -> line.startsWith("fairgate_passkey"))
            .map(line -> line.substring(0, line.indexOf(';')))
            .findFirst()
            .orElseThrow();
    return new Challenge(
        json(answer).path("options").path("publicKey").path("challenge").asText(), cookie);
  }

  private HttpResponse<String> register(Challenge challenge, String origin) {
    return call(
        "POST",
        "/passkeys",
        authenticator.register(challenge.text(), origin, RP),
        "authorization",
        bearer,
        "cookie",
        challenge.cookie());
  }

  private HttpResponse<String> signIn(Challenge challenge, String origin, int counter) {
    return call(
        "POST",
        "/passkeys/login",
        authenticator.signIn(challenge.text(), origin, RP, account, counter),
        "cookie",
        challenge.cookie());
  }

  private void registered() {
    HttpResponse<String> answer = register(challenge("/passkeys/options"), ORIGIN);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    assertThat(json(answer).path("id").asText()).isEqualTo(authenticator.id());
  }

  private static void refused(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(json(answer).path("error").asText()).isEqualTo(code);
  }

  @Test
  void aPasskeySignsInAndIsListedAndRemoved() {
    registered();
    HttpResponse<String> login = signIn(challenge("/passkeys/login/options"), ORIGIN, 1);
    assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
    HttpResponse<String> me =
        call("GET", "/me", "", "authorization", "Bearer " + json(login).path("token").asText());
    assertThat(json(me).path("account_id").asText()).isEqualTo(account);
    JsonNode all = json(call("GET", "/passkeys", "", "authorization", bearer)).path("passkeys");
    assertThat(all.size()).isEqualTo(1);
    assertThat(all.get(0).path("used_at").asText()).isNotEmpty();
    String path = "/passkeys/" + authenticator.id();
    assertThat(call("DELETE", path, "", "authorization", bearer).statusCode()).isEqualTo(200);
    refused(call("DELETE", path, "", "authorization", bearer), 404, "NOT_FOUND");
    refused(signIn(challenge("/passkeys/login/options"), ORIGIN, 2), 403, "PASSKEY_REFUSED");
  }

  @Test
  void aChallengeWorksOnceAndInItsBrowserOnly() {
    registered();
    Challenge used = challenge("/passkeys/login/options");
    assertThat(signIn(used, ORIGIN, 1).statusCode()).isEqualTo(200);
    refused(signIn(used, ORIGIN, 2), 400, "INVALID_REQUEST");
    refused(
        signIn(new Challenge(used.text(), "fairgate_passkey=x"), ORIGIN, 2),
        400,
        "INVALID_REQUEST");
    // The answer to one browser's challenge with another browser's cookie.
    Challenge other = challenge("/passkeys/login/options");
    String cookie = challenge("/passkeys/login/options").cookie();
    refused(signIn(new Challenge(other.text(), cookie), ORIGIN, 3), 403, "PASSKEY_REFUSED");
  }

  @Test
  void anotherOriginIsRefused() {
    refused(
        register(challenge("/passkeys/options"), "https://evil.example.com"),
        403,
        "PASSKEY_REFUSED");
    registered();
    refused(
        signIn(challenge("/passkeys/login/options"), "https://evil.example.com", 1),
        403,
        "PASSKEY_REFUSED");
  }

  @Test
  void aCounterThatDoesNotRiseIsRefused() {
    registered();
    assertThat(signIn(challenge("/passkeys/login/options"), ORIGIN, 7).statusCode()).isEqualTo(200);
    refused(signIn(challenge("/passkeys/login/options"), ORIGIN, 7), 403, "PASSKEY_REFUSED");
    refused(signIn(challenge("/passkeys/login/options"), ORIGIN, 3), 403, "PASSKEY_REFUSED");
    assertThat(signIn(challenge("/passkeys/login/options"), ORIGIN, 8).statusCode()).isEqualTo(200);
  }

  @Test
  void aPasskeyBelongsToOneAccount() {
    registered();
    refused(register(challenge("/passkeys/options"), ORIGIN), 403, "PASSKEY_REFUSED");
  }

  @Test
  void guestsAndMalformedAnswersAreRefused() {
    refused(call("GET", "/passkeys", ""), 401, "UNAUTHORIZED");
    refused(call("POST", "/passkeys/options", "{}"), 401, "UNAUTHORIZED");
    Challenge challenge = challenge("/passkeys/login/options");
    refused(
        call("POST", "/passkeys/login", "{\"id\":1}", "cookie", challenge.cookie()),
        403,
        "PASSKEY_REFUSED");
    refused(call("POST", "/passkeys/login", "{}"), 400, "INVALID_REQUEST");
  }

  private static String cookie(HttpResponse<String> reply, String name) {
    return reply.headers().allValues("set-cookie").stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.replaceFirst(";.*", ""))
        .findFirst()
        .orElseThrow();
  }

  private static HttpResponse<String> join(String sale, String cookies) {
    return server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(sale),
        "User-Agent",
        StepBundle.PASSKEY,
        "X-Forwarded-For",
        "198.51.100.7",
        "Cookie",
        cookies);
  }

  /// A new browser asks for a place and passes the step with the passkey.
  private HttpResponse<String> joinByPasskey(String sale, int counter) {
    String device =
        cookie(
            server.callUntilAccepted("GET", "/api/challenge?product_id=" + sale, ""),
            "fairgate_device");
    JsonNode asked = json(join(sale, device));
    assertThat(asked.path("step").asText()).as(asked.toString()).isEqualTo("passkey");
    String page = asked.path("step_url").asText();
    HttpResponse<String> shown = server.call("GET", page, "", "Cookie", device);
    assertThat(shown.body()).contains("data-passkey=\"join\"", "id=\"work\"");
    HttpResponse<String> options =
        server.callUntilAccepted("POST", "/api/challenge/passkey/options", "{}", "Cookie", device);
    String ticket = cookie(options, "fairgate_passkey_join");
    String challenge = json(options).path("options").path("publicKey").path("challenge").asText();
    String answer = authenticator.signIn(challenge, ORIGIN, RP, account, counter);
    String path = "/api/challenge/passkey?product_id=" + sale + "&ticket=";
    refused(
        server.callUntilAccepted("POST", path + "x", answer, "Cookie", device + "; " + ticket),
        400,
        "INVALID_REQUEST");
    HttpResponse<String> passed =
        server.callUntilAccepted(
            "POST",
            path + page.replaceFirst(".*for=", ""),
            answer,
            "Cookie",
            device + "; " + ticket);
    assertThat(passed.statusCode()).as(passed.body()).isEqualTo(200);
    assertThat(passed.headers().allValues("set-cookie"))
        .as("nobody is signed in")
        .noneMatch(line -> line.startsWith("fairgate_account"));
    return join(sale, device + "; " + cookie(passed, "fairgate_step_" + sale));
  }

  @Test
  void aPasskeyPassesTheStepOfASaleAndSignsNobodyIn() {
    registered();
    server.createProduct("88", 5, "{\"preset\": \"queue\"}");
    server.openSale("88");
    HttpResponse<String> joined = joinByPasskey("88", 1);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    assertThat(json(joined).has("seat")).isFalse();
  }
}
