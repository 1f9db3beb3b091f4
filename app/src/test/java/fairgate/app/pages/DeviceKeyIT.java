package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Mouse;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Device keys, fingerprints and numbers of behavior in Chromium on the real server.
class DeviceKeyIT {
  private static final String REQUIRED = "{\"preset\":\"queue\",\"device_key\":\"required\"}";
  private static final String OPTIONAL = "{\"preset\":\"queue\"}";

  /// A call of the page with its own proof, if the browser has a key.
  private static final String PURCHASE =
      """
      async ([product, session]) => {
        const base = document.querySelector('script[type=module]').src;
        const { proof } = await import(new URL('device-key.js', base).href);
        const about = { product_id: product, session_id: session, idempotency_key: 'k' };
        const headers = {
          'Content-Type': 'application/json', 'X-Session-Id': session, 'Idempotency-Key': 'k',
          ...(await proof('/api/purchase', about)),
        };
        const body = JSON.stringify({ product_id: product, quantity: 1 });
        const reply = await fetch('/api/purchase', { method: 'POST', headers, body });
        return reply.status + ' ' + (await reply.text());
      }
      """;

  /// Whether the browser has a key for its proofs.
  private static final String HAS_KEY =
      """
      async () => {
        const base = document.querySelector('script[type=module]').src;
        const { proof } = await import(new URL('device-key.js', base).href);
        return 'DPoP' in (await proof('/api/queue/join', {}));
      }
      """;

  /// The page counts from now on.
  private static final String COUNTING =
      """
      async () => {
        const base = document.querySelector('script[type=module]').src;
        await import(new URL('behavior.js', base).href);
      }
      """;

  private static TestFairgate server;
  private static Chromium chromium;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("signals.fingerprint", "on"));
    chromium = new Chromium();
  }

  @AfterAll
  static void stop() {
    chromium.close();
    server.close();
  }

  @AfterEach
  void closePages() {
    List<String> complaints = chromium.closePages();
    assertThat(complaints.stream().filter(text -> !text.contains("403"))).isEmpty();
  }

  private static Page page() {
    return chromium.page(new Browser.NewContextOptions(), server.baseUrl(), "en");
  }

  private static void open(String id, String policy) {
    server.createProduct(id, 5, policy);
    server.openSale(id);
  }

  /// Opens the page of the sale in a browser with a key. A page that has waited for its key for two
  /// seconds, as on a busy machine, goes on without it.
  private static void openWithKey(Page page, String id) {
    page.navigate("/p/" + id);
    Eventually.await("the browser has its key", () -> Boolean.TRUE.equals(page.evaluate(HAS_KEY)));
  }

  /// Joins on the page of the sale with a key and waits for the turn.
  private static void join(Page page, String id) {
    openWithKey(page, id);
    joinHere(page);
  }

  private static void joinHere(Page page) {
    Chromium.join(page);
    page.waitForSelector("body[data-stage=ready]");
  }

  /// The answer to the purchase of a page, as soon as the server is not too busy for it.
  private static String purchase(Page page, String id, String session) {
    return Eventually.get(
        "the server is not too busy for the purchase",
        () -> (String) page.evaluate(PURCHASE, List.of(id, session)),
        answer -> !answer.startsWith("503 "));
  }

  private static String session(Page page, String id) {
    return (String)
        page.evaluate("id => JSON.parse(localStorage.getItem('fairgate.place.' + id)).session", id);
  }

  private static String proofs(String result) {
    String line = "fairgate_device_proofs_total{result=\"" + result + "\"} ";
    return server
        .metrics()
        .body()
        .lines()
        .filter(text -> text.startsWith(line))
        .findFirst()
        .map(text -> text.substring(line.length()))
        .orElseThrow();
  }

  @Test
  void aBuyerJoinsAndBuysWithTheKeyOfTheBrowserWithoutNoticing() {
    open("91", REQUIRED);
    Page page = page();
    List<String> proofs = new CopyOnWriteArrayList<>();
    page.onRequest(
        request -> {
          if (request.url().endsWith("/api/queue/join")
              || request.url().endsWith("/api/purchase")) {
            proofs.add(String.valueOf(header(request, "dpop")));
          }
        });
    double before = Double.parseDouble(proofs("valid"));
    join(page, "91");
    page.click("#panel .button.primary");
    page.waitForSelector("body[data-stage=paid]");
    // The page asks again when the server was too busy.
    assertThat(proofs).hasSizeGreaterThanOrEqualTo(2).allMatch(proof -> proof.contains("."));
    assertThat(proofs.stream().map(DeviceKeyIT::key).distinct()).hasSize(1);
    assertThat(Double.parseDouble(proofs("valid")) - before).isBetween(2.0, (double) proofs.size());
  }

  private static @Nullable String header(Request request, String name) {
    return request.headers().get(name);
  }

  private static String key(String proof) {
    return proof.substring(0, proof.indexOf('.'));
  }

  @Test
  void thePrivateKeyCannotBeExportedAndSurvivesAReload() {
    open("92", OPTIONAL);
    Page page = page();
    join(page, "92");
    String export =
        """
        async () => {
          const opening = indexedDB.open('fairgate', 1);
          await new Promise((done) => { opening.onsuccess = done; });
          const get = opening.result.transaction('keys').objectStore('keys').get('device');
          await new Promise((done) => { get.onsuccess = done; });
          const { privateKey, publicKey } = get.result;
          const out = await crypto.subtle.exportKey('jwk', privateKey).catch((e) => e.name);
          return privateKey.extractable + ' ' + out + ' ' +
            (await crypto.subtle.exportKey('jwk', publicKey)).x;
        }
        """;
    String first = (String) page.evaluate(export);
    assertThat(first).startsWith("false InvalidAccessError ");
    page.reload();
    assertThat(page.evaluate(export)).isEqualTo(first);
  }

  @Test
  void anotherBrowserCannotBuyWithTheSession() {
    open("93", REQUIRED);
    Page page = page();
    join(page, "93");
    String session = session(page, "93");
    String bare =
        server
            .callUntilAccepted(
                "POST",
                "/api/purchase",
                "{\"product_id\":\"93\",\"quantity\":1}",
                "X-Session-Id",
                session)
            .body();
    assertThat(bare).contains("DEVICE_KEY_REQUIRED", "missing");
    Page other = page();
    openWithKey(other, "93");
    assertThat(purchase(other, "93", session))
        .startsWith("403 ")
        .contains("DEVICE_KEY_REQUIRED", "changed");
    assertThat(purchase(page, "93", session)).startsWith("200 ");
  }

  @Test
  void aProgramThatTakesTheSessionOfAPageLosesItsTurnAndThePageBuys() {
    try (TestFairgate enforcing =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("risk.mode", "enforce"))) {
      enforcing.createProduct("98", 5, OPTIONAL);
      enforcing.openSale("98");
      Page page = chromium.page(new Browser.NewContextOptions(), enforcing.baseUrl(), "en");
      join(page, "98");
      String session = session(page, "98");
      HttpResponse<String> bare =
          enforcing.callUntilAccepted(
              "POST",
              "/api/purchase",
              "{\"product_id\":\"98\",\"quantity\":1}",
              "X-Session-Id",
              session);
      assertThat(bare.body())
          .contains("NOT_READY", "\"seat\":\"behind\"", "\"reason\":\"device\"", "/appeal/");
      Eventually.await(
          "nobody else waits, so the turn comes again",
          () ->
              enforcing
                  .call("GET", "/api/queue/status", "", "X-Session-Id", session)
                  .body()
                  .contains("ready_to_purchase"));
      assertThat(purchase(page, "98", session)).startsWith("200 ");
      // A browser without its server complains about whatever it still loads, such as the icon.
      closePages();
    }
  }

  @Test
  void aBrowserWithoutKeysBuysWhereTheSaleDoesNotRequireOne() {
    open("94", OPTIONAL);
    Page page = page();
    page.addInitScript("Object.defineProperty(window, 'indexedDB', { value: undefined });");
    double before = Double.parseDouble(proofs("absent"));
    page.navigate("/p/94");
    joinHere(page);
    page.click("#panel .button.primary");
    page.waitForSelector("body[data-stage=paid]");
    // The page asks again when the server was too busy.
    assertThat(Double.parseDouble(proofs("absent")) - before).isGreaterThanOrEqualTo(2);
  }

  @Test
  void aBrowserWithoutKeysIsToldWhereTheSaleRequiresOne() {
    open("95", REQUIRED);
    Page page = page();
    page.addInitScript("Object.defineProperty(window, 'indexedDB', { value: undefined });");
    page.navigate("/p/95");
    Chromium.join(page);
    page.waitForSelector("#problem:not([hidden])");
    assertThat(page.textContent("#problem")).contains("device key");
  }

  @Test
  void aKeyThatFailedOnceIsThereForTheNextPress() {
    open("97", REQUIRED);
    Page page = page();
    page.addInitScript(
        """
        const factory = window.indexedDB;
        let asked = 0;
        Object.defineProperty(window, 'indexedDB', { get: () => (asked++ ? factory : undefined) });
        """);
    page.navigate("/p/97");
    Chromium.join(page);
    page.waitForSelector("#problem:not([hidden])");
    Chromium.join(page);
    page.waitForSelector("body[data-stage=ready]");
  }

  /// The numbers of behavior in the join of a page that was used so.
  private static JsonNode behavior(Consumer<Page> use) throws IOException {
    Page page = page();
    page.navigate("/p/89");
    page.waitForSelector("#panel .button.primary");
    assertThat(page.locator("#behavior").textContent()).contains("never counts against you");
    page.evaluate(COUNTING);
    use.accept(page);
    Request join =
        page.waitForRequest(
            "**/api/queue/join",
            () -> page.locator("#panel button.primary").dispatchEvent("click"));
    JsonNode numbers = new ObjectMapper().readTree(join.postData()).path("behavior");
    assertThat(numbers).hasSize(13).allMatch(JsonNode::isIntegralNumber);
    assertThat(numbers.toString()).hasSizeBetween(100, 200);
    return numbers;
  }

  @Test
  void theJoinTellsInNumbersHowThePageWasUsed() throws IOException {
    open("89", OPTIONAL);
    JsonNode line =
        behavior(
            page -> {
              page.mouse().move(100, 100);
              page.mouse().move(700, 400, new Mouse.MoveOptions().setSteps(30));
              page.keyboard().type("secret");
            });
    assertThat(line.path("moves").asInt()).isBetween(10, 40);
    assertThat(line.path("straight").asInt()).isGreaterThanOrEqualTo(99);
    assertThat(line.path("entropy").asInt()).isLessThan(20);
    assertThat(line.path("keys").asInt()).isEqualTo(6);
    assertThat(line.path("page_ms").asInt()).isPositive();
    JsonNode circle =
        behavior(
            page -> {
              for (int i = 0; i <= 40; i++) {
                double angle = 2 * Math.PI * i / 40;
                page.mouse().move(300 + 120 * Math.cos(angle), 300 + 120 * Math.sin(angle));
              }
            });
    assertThat(circle.path("straight").asInt()).isLessThan(90);
    assertThat(circle.path("entropy").asInt()).isGreaterThan(80);
    JsonNode nothing = behavior(_ -> {});
    assertThat(nothing.path("moves").asInt() + nothing.path("presses").asInt()).isZero();
  }

  @Test
  void theFingerprintIsAHashThatAReloadDoesNotChange() {
    open("96", OPTIONAL);
    List<String> fingerprints = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 2; i++) {
      Page page = page();
      page.onRequest(
          request -> {
            String value = header(request, "browser-fingerprint");
            if (value != null) {
              fingerprints.add(value);
            }
          });
      page.navigate("/p/96");
      page.click("#panel .button.primary");
      int joins = i + 1;
      Eventually.await(
          "a join with a fingerprint",
          () -> {
            page.waitForTimeout(20);
            return fingerprints.size() == joins;
          });
    }
    assertThat(fingerprints.get(0)).matches("1\\.[A-Za-z0-9_-]{43}\\.[01]");
    assertThat(fingerprints.get(1)).isEqualTo(fingerprints.get(0));
  }
}
