package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.Role;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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

/// Sign-in of operators at a real OpenID Connect provider, on the whole server.
class ProviderSignInTest {
  private static final String ISSUER = "company";
  private static final MockOAuth2Server PROVIDER = new MockOAuth2Server();

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  private final String person = UUID.randomUUID().toString();
  private final String name = "p" + person.substring(0, 8);

  @BeforeAll
  static void start() {
    PROVIDER.start();
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of(
                "limits", "off",
                "operators.oidc_issuer", PROVIDER.issuerUrl(ISSUER).toString(),
                "operators.oidc_client_id", "client-1",
                "operators.oidc_client_secret", "secret-1",
                "operators.oidc_label", "Example Ltd",
                "operators.oidc_domains", "example.com=support"));
  }

  @AfterAll
  static void stop() {
    server.close();
    PROVIDER.shutdown();
  }

  /// A browser with its cookies, which does not follow redirects by itself.
  private static final class Browser {
    private final HttpClient http =
        HttpClient.newBuilder()
            .cookieHandler(new CookieManager(null, CookiePolicy.ACCEPT_ALL))
            .connectTimeout(Duration.ofMinutes(1))
            .build();

    HttpResponse<String> get(String url, String... headers) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(url.startsWith("/") ? server.baseUrl() + url : url))
              .timeout(Duration.ofMinutes(1))
              .header("accept-language", "en");
      if (headers.length > 0) {
        request.headers(headers);
      }
      try {
        return http.send(request.build(), BodyHandlers.ofString());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    /// Goes to the provider and returns the address of our callback with the code.
    String authorized(String path, String... headers) {
      HttpResponse<String> start =
          Eventually.get(
              "the provider answers in time",
              () -> get(path, headers),
              reply -> reply.statusCode() != 503);
      assertThat(start.statusCode()).as(start.body()).isEqualTo(303);
      assertThat(location(start)).startsWith(PROVIDER.issuerUrl(ISSUER).toString());
      HttpResponse<String> there = get(location(start));
      assertThat(there.statusCode()).as(there.body()).isEqualTo(302);
      return location(there);
    }
  }

  private static String location(HttpResponse<String> response) {
    return response.headers().firstValue("location").orElseThrow();
  }

  private void atProvider(Map<String, Object> claims) {
    PROVIDER.enqueueCallback(
        new DefaultOAuth2TokenCallback(ISSUER, person, "JWT", List.of("client-1"), claims, 3600));
  }

  private static Map<String, Object> address(String email) {
    return Map.of("email", email, "email_verified", true);
  }

  private HttpResponse<String> signIn(Map<String, Object> claims) {
    atProvider(claims);
    Browser browser = new Browser();
    return browser.get(browser.authorized("/console/oidc"));
  }

  private static String me(HttpResponse<String> entered) {
    String cookie = TestOperator.cookieOf(entered);
    return server.call("GET", "/api/admin/me", "", "cookie", cookie).body();
  }

  private static void isNoOperator(HttpResponse<String> reply) {
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(403);
    assertThat(reply.body()).contains("you are no operator here");
    assertThat(TestOperator.cookieOf(reply)).isEmpty();
  }

  @Test
  void aPersonWhomNobodyKnowsGetsNothing() {
    isNoOperator(signIn(Map.of()));
    isNoOperator(signIn(address(name + "@other.example")));
    isNoOperator(signIn(address(name + "@sub.example.com")));
    isNoOperator(signIn(address("\"x@example.com\"@evil.example")));
    isNoOperator(signIn(Map.of("email", name + "@example.com", "email_verified", false)));
    isNoOperator(signIn(Map.of("email", name + "@example.com")));
  }

  @Test
  void aPersonOfTheDomainBecomesAnOperatorWithItsRole() {
    HttpResponse<String> entered = signIn(address(name + "@Example.com"));
    assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
    // A redirect would lose the cookie, which is SameSite=Strict.
    assertThat(entered.headers().firstValue("refresh")).contains("0;url=/console");
    assertThat(me(entered))
        .contains("\"name\":\"" + name + "\"", "\"role\":\"support\"", "\"provider_linked\":true");
    String second = me(signIn(address(name + "@example.com")));
    assertThat(second).isEqualTo(me(entered));
    Eventually.await(
        "both acts are in the audit log",
        () -> {
          String log = server.admin("GET", "/audit?operator=" + name, "");
          return log.contains("sign-in at the provider")
              && log.contains("operator added by the domain of the address");
        });
  }

  @Test
  void theSignInAtTheProviderLeadsToTheAddressThatWasOpened() {
    Map<String, String> pages =
        Map.of("/console/rooms/shop?lang=en", "/console/rooms/shop?lang=en", "//evil", "/console");
    pages.forEach(
        (next, page) -> {
          atProvider(address(name + "@example.com"));
          Browser browser = new Browser();
          HttpResponse<String> entered =
              browser.get(browser.authorized("/console/oidc?next=" + TestOperator.encoded(next)));
          assertThat(entered.headers().firstValue("refresh")).contains("0;url=" + page);
        });
  }

  @Test
  void anOperatorOfTheSameNameStaysAnotherPerson() {
    TestOperator _ = TestOperator.add(server, name, Role.OWNER);
    HttpResponse<String> entered = signIn(address(name + "@example.com"));
    assertThat(me(entered)).contains("\"name\":\"" + name + "-", "\"role\":\"support\"");
  }

  @Test
  void aRemovedOperatorDoesNotComeBackByTheDomain() {
    HttpResponse<String> entered = signIn(address(name + "@example.com"));
    String id = TestOperator.json(me(entered)).path("id").asText();
    String cookie = TestOperator.cookieOf(entered);
    HttpResponse<String> kept =
        server.call(
            "DELETE",
            "/api/admin/me/provider",
            "",
            "cookie",
            cookie,
            "sec-fetch-site",
            "same-origin");
    assertThat(kept.statusCode()).as(kept.body()).isEqualTo(409);
    assertThat(kept.body()).contains("LAST_SIGN_IN");
    assertThat(server.admin("DELETE", "/operators/" + id + "?reason=left", "")).contains("true");
    assertThat(server.call("GET", "/api/admin/me", "", "cookie", cookie).statusCode())
        .isEqualTo(401);
    isNoOperator(signIn(address(name + "@example.com")));
  }

  @Test
  void anOperatorLinksAndUnlinks() {
    TestOperator anna = TestOperator.add(server, name, Role.SELLER);
    String[] own = {"cookie", anna.cookie(), "sec-fetch-site", "same-origin"};
    atProvider(Map.of());
    Browser browser = new Browser();
    HttpResponse<String> linked = browser.get(browser.authorized("/console/oidc/link", own));
    assertThat(linked.statusCode()).as(linked.body()).isEqualTo(200);
    assertThat(TestOperator.cookieOf(linked)).as("linking is no sign-in").isEmpty();
    assertThat(me(signIn(Map.of()))).contains("\"name\":\"" + name + "\"", "\"role\":\"seller\"");

    TestOperator bert = TestOperator.add(server, name + "b", Role.OWNER);
    String[] other = {"cookie", bert.cookie(), "sec-fetch-site", "same-origin"};
    atProvider(Map.of());
    Browser second = new Browser();
    assertThat(second.get(second.authorized("/console/oidc/link", other)).statusCode())
        .isEqualTo(409);

    assertThat(anna.call("DELETE", "/me/provider", "").statusCode()).isEqualTo(200);
    assertThat(anna.call("DELETE", "/me/provider", "").statusCode()).isEqualTo(200);
    isNoOperator(signIn(address(name + "@example.com")));
    atProvider(Map.of());
    Browser third = new Browser();
    assertThat(third.get(third.authorized("/console/oidc/link", other)).statusCode())
        .isEqualTo(200);
  }

  @Test
  void anotherSiteCannotStartALink() {
    TestOperator anna = TestOperator.add(server, name, Role.SELLER);
    for (String site : new String[] {"cross-site", "none"}) {
      HttpResponse<String> reply =
          new Browser().get("/console/oidc/link", "cookie", anna.cookie(), "sec-fetch-site", site);
      assertThat(location(reply)).as(site).isEqualTo("/console");
    }
  }

  @Test
  void aCallbackWorksOnceAndInItsBrowser() {
    Browser attacker = new Browser();
    String callback = attacker.authorized("/console/oidc");
    HttpResponse<String> stolen = new Browser().get(callback);
    assertThat(stolen.statusCode()).isEqualTo(400);
    atProvider(address(name + "@example.com"));
    assertThat(attacker.get(callback).statusCode()).isEqualTo(200);
    assertThat(attacker.get(callback).statusCode()).as("used").isEqualTo(400);
  }

  @Test
  void theSignInPageOffersTheProvider() {
    assertThat(new Browser().get("/console/sign-in").body()).contains("Sign in with Example Ltd");
  }
}
