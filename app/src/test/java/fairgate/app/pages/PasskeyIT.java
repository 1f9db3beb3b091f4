package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Passkeys in Chromium with a virtual authenticator.
class PasskeyIT {
  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  @BeforeAll
  static void start() {
    server =
        TestFairgate.start(
            TestEngines.shared(), TestEngines.shared().freshDatabase(), Map.of("limits", "off"));
    chromium = new Chromium();
  }

  @AfterAll
  static void stop() {
    chromium.close();
    server.close();
  }

  @AfterEach
  void close() {
    assertThat(chromium.closePages()).as("errors in the browser").isEmpty();
  }

  /// A page whose browser has an authenticator in the machine. Passkeys need a name, not an
  /// address: `localhost`.
  private static Page page() {
    Page page =
        chromium.page(
            new Browser.NewContextOptions().setViewportSize(390, 844),
            "http://localhost:" + server.port(),
            "en");
    CDPSession devtools = page.context().newCDPSession(page);
    devtools.send("WebAuthn.enable");
    JsonObject options = new JsonObject();
    options.addProperty("protocol", "ctap2");
    options.addProperty("transport", "internal");
    options.addProperty("hasResidentKey", true);
    options.addProperty("hasUserVerification", true);
    options.addProperty("isUserVerified", true);
    options.addProperty("automaticPresenceSimulation", true);
    JsonObject arguments = new JsonObject();
    arguments.add("options", options);
    devtools.send("WebAuthn.addVirtualAuthenticator", arguments);
    return page;
  }

  /// Registers an account and returns its name; empty when the server is too busy.
  private static String registered(Page page) {
    String name = "u" + UUID.randomUUID().toString().substring(0, 12);
    page.navigate("/account/register");
    page.fill("[name=username]", name);
    page.fill("[name=password]", "correct horse 9");
    page.click(".account .button.primary");
    if (page.textContent("h1").equals(name)) {
      return name;
    }
    // The browser reports the refusal as an error.
    chromium.forgive();
    return "";
  }

  @Test
  void aPasskeyIsAddedSignsInAndIsRemoved() {
    Page page = page();
    String name = Eventually.get("a new account", () -> registered(page), made -> !made.isEmpty());

    page.navigate("/account/sign-in");
    page.click("[data-passkey=new]");
    page.waitForSelector("[action='/account/sign-in/remove-passkey']");
    Chromium.shoot(page, "passkey-1-added");

    page.navigate("/account");
    page.click("[action='/account/logout'] button");
    page.navigate("/account?next=/orders");
    page.click("[data-passkey=login]");
    page.waitForURL("http://localhost:" + server.port() + "/orders");
    page.navigate("/account");
    assertThat(page.textContent("h1")).isEqualTo(name);

    page.navigate("/account/sign-in");
    page.click("[action='/account/sign-in/remove-passkey'] button");
    Eventually.await(
        "the passkey is gone",
        () -> page.locator("[action='/account/sign-in/remove-passkey']").count() == 0);
  }
}
