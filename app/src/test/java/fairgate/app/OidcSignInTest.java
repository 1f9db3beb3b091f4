package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.token.DefaultOAuth2TokenCallback;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Sign-in at a real OpenID Connect provider, on the whole server.
class OidcSignInTest {
  private static final String ISSUER = "shop";
  private static final String OWN = "same-origin";

  private static final MockOAuth2Server PROVIDER = new MockOAuth2Server();

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String person = UUID.randomUUID().toString();

  @BeforeAll
  static void start() {
    PROVIDER.start();
    PostgresAddress database = TestEngines.shared().freshDatabase();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            database,
            Map.of(
                "limits",
                "off",
                "sign_in.providers",
                "nav=" + PROVIDER.issuerUrl(ISSUER) + ",away=http://127.0.0.1:1/gone",
                "sign_in.client_ids",
                "nav=client-1,away=client-1",
                "sign_in.client_secrets",
                "nav=secret-1",
                "sign_in.labels",
                "nav=NAV"));
  }

  @AfterAll
  static void stop() {
    server.close();
    PROVIDER.shutdown();
  }

  /// A browser with its cookies, which does not follow redirects by itself.
  private static final class Browser {
    private final CookieManager jar = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
    private final HttpClient http =
        HttpClient.newBuilder()
            .cookieHandler(jar)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofMinutes(1))
            .build();

    HttpResponse<String> get(String url) {
      return send(request(url).GET());
    }

    /// Sends a form, and again while the server is too busy.
    HttpResponse<String> post(String path, String form) {
      return Eventually.get(
          "the server is not too busy for " + path,
          () ->
              send(
                  request(path)
                      .header("sec-fetch-site", OWN)
                      .header("content-type", "application/x-www-form-urlencoded")
                      .POST(BodyPublishers.ofString(form))),
          answer -> answer.statusCode() != 503);
    }

    private static HttpRequest.Builder request(String url) {
      return HttpRequest.newBuilder(URI.create(url.startsWith("/") ? server.baseUrl() + url : url))
          .timeout(Duration.ofMinutes(1))
          .header("accept", "text/html")
          .header("accept-language", "en");
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
      try {
        return http.send(request.build(), BodyHandlers.ofString());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    /// Goes to the provider and comes back to our callback.
    ///
    /// @return the address of the callback with its code
    String authorized(String path) {
      HttpResponse<String> start =
          Eventually.get(
              "the provider answers in time", () -> get(path), reply -> reply.statusCode() != 503);
      assertThat(start.statusCode()).as(start.body()).isEqualTo(303);
      HttpResponse<String> there = get(location(start));
      assertThat(there.statusCode()).as(there.body()).isEqualTo(302);
      return location(there);
    }

    HttpResponse<String> signIn(String path) {
      return get(authorized(path));
    }

    String cookie(String name) {
      return jar.getCookieStore().getCookies().stream()
          .filter(cookie -> cookie.getName().equals(name))
          .map(HttpCookie::getValue)
          .findFirst()
          .orElse("");
    }
  }

  private static String location(HttpResponse<String> response) {
    return response.headers().firstValue("location").orElseThrow();
  }

  private static void person(String subject, Map<String, Object> claims, long expiry) {
    PROVIDER.enqueueCallback(
        new DefaultOAuth2TokenCallback(
            ISSUER, subject, "JWT", List.of("client-1"), claims, expiry));
  }

  private static void person(String subject) {
    person(subject, Map.of(), 3600);
  }

  private static void refused(HttpResponse<String> response, int status, String text) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.body()).contains(text);
    assertThat(response.headers().allValues("set-cookie"))
        .noneMatch(line -> line.startsWith("fairgate_account="));
  }

  /// The name of the signed-in account; empty for a guest.
  private static String name(Browser browser) {
    HttpResponse<String> page = browser.get("/account");
    int at = page.body().indexOf("user-");
    return at < 0 ? "" : page.body().substring(at, at + 15);
  }

  @Test
  void aNewPersonGetsAnAccountAndFindsItAgain() {
    Browser first = new Browser();
    assertThat(first.get("/account").body()).contains("Sign in with NAV");
    person(person);
    HttpResponse<String> entered = first.signIn("/account/oidc/nav");
    assertThat(entered.statusCode()).as(entered.body()).isEqualTo(303);
    assertThat(location(entered)).isEqualTo("/account");
    String name = name(first);
    assertThat(name).startsWith("user-");

    Browser second = new Browser();
    person(person);
    assertThat(second.signIn("/account/oidc/nav").statusCode()).isEqualTo(303);
    assertThat(name(second)).isEqualTo(name);

    Browser other = new Browser();
    person(person + "-other");
    assertThat(other.signIn("/account/oidc/nav").statusCode()).isEqualTo(303);
    assertThat(name(other)).isNotEqualTo(name);
  }

  @Test
  void aGuestKeepsTheBrowserAndReturnsToThePage() {
    Browser browser = new Browser();
    var _ = browser.get("/account/oidc/nav");
    String device = browser.cookie("fairgate_device");
    assertThat(device).isNotEmpty();
    person(person);
    HttpResponse<String> entered = browser.signIn("/account/oidc/nav?next=/p/880001");
    assertThat(location(entered)).isEqualTo("/p/880001");
    assertThat(browser.cookie("fairgate_device")).isEqualTo(device);
  }

  @Test
  void theReturnPathStaysOnOurSite() {
    for (String bad :
        List.of("//evil.example.com", "https://evil.example.com", "/%5Cevil.example.com")) {
      Browser browser = new Browser();
      person(person);
      assertThat(location(browser.signIn("/account/oidc/nav?next=" + bad))).isEqualTo("/account");
    }
  }

  @Test
  void aCallbackWorksOnce() {
    Browser browser = new Browser();
    String ticket;
    person(person);
    String callback = browser.authorized("/account/oidc/nav");
    ticket = browser.cookie("fairgate_oidc");
    assertThat(browser.get(callback).statusCode()).isEqualTo(303);
    assertThat(browser.cookie("fairgate_oidc")).isEmpty();
    refused(browser.get(callback), 400, "Start it again");
    // Also when the browser sends the used cookie again.
    HttpResponse<String> replayed =
        server.call("GET", path(callback), "", "cookie", "fairgate_oidc=" + ticket);
    assertThat(replayed.statusCode()).isEqualTo(400);
  }

  @Test
  void anotherBrowserCannotFinishTheSignIn() {
    Browser victim = new Browser();
    Browser attacker = new Browser();
    String callback = attacker.authorized("/account/oidc/nav");
    refused(victim.get(callback), 400, "Start it again");
    // A sign-in of the victim's own does not accept the attacker's state either.
    var _ = victim.get("/account/oidc/nav");
    refused(victim.get(callback), 400, "Start it again");
    assertThat(name(victim)).isEmpty();
  }

  @Test
  void badTokensChangeNothing() {
    Map<String, Map<String, Object>> bad =
        Map.of(
            "audience", Map.of("aud", "another-client"),
            "issuer", Map.of("iss", "https://issuer.example.com"),
            "nonce", Map.of("nonce", "of-another-sign-in"));
    bad.forEach(
        (what, claims) -> {
          Browser browser = new Browser();
          person(person, claims, 3600);
          refused(browser.signIn("/account/oidc/nav"), 403, "was not valid");
          assertThat(name(browser)).as(what).isEmpty();
        });
    Browser late = new Browser();
    person(person, Map.of(), -3600);
    refused(late.signIn("/account/oidc/nav"), 403, "was not valid");
  }

  @Test
  void aPersonWhoDeclinesIsToldSo() {
    Browser browser = new Browser();
    String callback = browser.authorized("/account/oidc/nav");
    String declined = callback.replaceAll("code=[^&]*", "error=access_denied");
    refused(browser.get(declined), 403, "did not confirm");
  }

  @Test
  void aProviderThatIsAwayGivesAClearPage() {
    Browser browser = new Browser();
    HttpResponse<String> reply = browser.get("/account/oidc/away");
    refused(reply, 503, "not answering");
    assertThat(reply.headers().firstValue("retry-after")).isPresent();
    assertThat(browser.get("/account/oidc/nobody").statusCode()).isEqualTo(404);
  }

  @Test
  void anAccountLinksAndUnlinksAProvider() {
    Browser browser = new Browser();
    String name = "u" + person.substring(0, 12);
    assertThat(
            browser
                .post("/account/register", "username=" + name + "&password=correct+horse+9")
                .statusCode())
        .isEqualTo(303);
    person(person);
    HttpResponse<String> linked = browser.signIn("/account/oidc/nav");
    assertThat(location(linked)).isEqualTo("/account/sign-in");
    assertThat(browser.get("/account/sign-in").body()).contains("Remove NAV");

    Browser second = new Browser();
    person(person);
    assertThat(second.signIn("/account/oidc/nav").statusCode()).isEqualTo(303);
    assertThat(second.get("/account").body()).contains(name);

    Browser stranger = new Browser();
    assertThat(
            stranger
                .post("/account/register", "username=" + name + "x&password=correct+horse+9")
                .statusCode())
        .isEqualTo(303);
    person(person);
    HttpResponse<String> taken = stranger.signIn("/account/oidc/nav");
    assertThat(taken.statusCode()).isEqualTo(409);
    assertThat(taken.body()).contains("belongs to another account");

    assertThat(browser.post("/account/sign-in/unlink", "provider=nav").statusCode()).isEqualTo(303);
    assertThat(browser.get("/account/sign-in").body()).contains("Add NAV");
  }

  @Test
  void theLastWayToSignInStays() {
    Browser browser = new Browser();
    person(person);
    assertThat(browser.signIn("/account/oidc/nav").statusCode()).isEqualTo(303);
    HttpResponse<String> kept = browser.post("/account/sign-in/unlink", "provider=nav");
    assertThat(kept.statusCode()).isEqualTo(409);
    assertThat(kept.body()).contains("only way to sign in", "Remove NAV");
  }

  @Test
  void anAccountWithoutAPasswordHasNone() {
    Browser browser = new Browser();
    person(person);
    assertThat(browser.signIn("/account/oidc/nav").statusCode()).isEqualTo(303);
    HttpResponse<String> login =
        new Browser().post("/account/login", "username=" + name(browser) + "&password=anything+9");
    assertThat(login.statusCode()).isEqualTo(401);
  }

  private static String path(String url) {
    return URI.create(url).getPath() + '?' + URI.create(url).getRawQuery();
  }
}
