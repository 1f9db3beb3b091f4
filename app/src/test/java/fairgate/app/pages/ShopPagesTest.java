package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The pages for a client without JavaScript, over a socket.
class ShopPagesTest {
  private static final FakeShop SHOP = new FakeShop();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @BeforeAll
  static void create() {
    SHOP.createProduct(
        "{\"id\":\"7\",\"name\":\"Shoe <A> & \\\"B\\\""
            + " </script>\",\"image_url\":\"\",\"price\":99900,\"total_stock\":1200}");
    SHOP.createProduct(
        "{\"id\":\"8\",\"name\":\"Open\",\"image_url\":\"\",\"price\":1050,\"total_stock\":3}");
    SHOP.openSale("8");
  }

  @AfterAll
  static void stop() {
    SHOP.close();
    CLIENT.close();
  }

  @Test
  void theListHasEverySaleInTheVisitorsLanguage() throws Exception {
    assertThat(get("/", "accept-language", "en").body())
        .contains("<html lang=\"en\">", "1,200 of 1,200 left", "NT$999", "NT$10.50", "Open now");
    assertThat(get("/", "accept-language", "zh-CN").body()).contains("lang=\"zh-Hans\"", "销售中");
    assertThat(get("/").body()).contains("lang=\"zh-Hant\"", "銷售中", "剩餘 1,200 / 1,200 件", "NT$999");
  }

  @Test
  void aProductWithACurrencyThatIsNoneTakesNoPageDown() throws Exception {
    SHOP.createProduct(
        "{\"id\":\"17\",\"name\":\"Old row\",\"image_url\":\"\",\"price\":150000,"
            + "\"currency\":\"NTD\",\"total_stock\":3}");
    SHOP.createProduct("{\"id\":\"not a number\",\"name\":\"Worse row\",\"total_stock\":3}");
    assertThat(get("/", "accept-language", "en").body())
        .contains("NTD 1,500", "NT$999")
        .doesNotContain("Worse row");
    assertThat(get("/p/17", "accept-language", "en").body()).contains("NTD 1,500");
  }

  @Test
  void aSaleTellsItsRulesWithoutScriptInTheVisitorsLanguage() throws Exception {
    assertThat(get("/p/8", "accept-language", "en").body())
        .contains("How this sale keeps bots out", "You join without a challenge.")
        .contains("served later, not refused", "<li>Raises in en</li>", "<li>Lowers in en</li>");
    assertThat(get("/p/8", "accept-language", "zh-CN").body())
        .contains("本场销售如何防止机器人", "<li>Raises in zh-Hans</li>");
    assertThat(get("/p/8").body()).contains("本場銷售如何防止機器人", "<li>Raises in zh-Hant</li>");
    assertThat(get("/p/8", "cookie", "fairgate_lang=en").body()).contains("<li>Raises in en</li>");
  }

  @Test
  void textsOfOperatorsAreEscaped() throws Exception {
    String page = get("/p/7").body();
    assertThat(page).contains("Shoe &lt;A&gt; &amp; \"B\" &lt;/script&gt;");
    assertThat(page).contains("\\u003c/script>").doesNotContain("<A>", "\"B\" </script>");
  }

  @Test
  void theChosenLanguageIsStored() throws Exception {
    var chosen = get("/?lang=en");
    assertThat(chosen.headers().allValues("set-cookie"))
        .anyMatch(cookie -> cookie.startsWith("fairgate_lang=en"));
    assertThat(get("/", "cookie", "fairgate_lang=zh-Hans").body()).contains("lang=\"zh-Hans\"");
    assertThat(get("/?lang=xx", "accept-language", "en").body()).contains("lang=\"en\"");
  }

  @Test
  void everyPageForbidsInlineScriptAndFrames() throws Exception {
    for (String path : new String[] {"/", "/p/7", "/p/404", "/pay/none"}) {
      String policy = get(path).headers().firstValue("content-security-policy").orElse("");
      assertThat(policy).contains("script-src 'self';", "frame-ancestors 'none'", "img-src 'self'");
      assertThat(policy).doesNotContain("unsafe");
      assertThat(get(path).body()).doesNotContain(" style=", "onclick", "http-equiv=\"refresh\"");
    }
  }

  @Test
  void anUnknownSaleIsNotFound() throws Exception {
    assertThat(get("/p/999").statusCode()).isEqualTo(404);
    assertThat(get("/p/x").statusCode()).isEqualTo(404);
    assertThat(get("/pay/x").statusCode()).isEqualTo(404);
  }

  @Test
  void unknownPagesHaveOneErrorPageInTheVisitorsLanguage() throws Exception {
    for (String path : new String[] {"/nope", "/p/999", "/pay/x", "/a/b/c"}) {
      var english = get(path, "accept", "text/html", "accept-language", "en");
      assertThat(english.statusCode()).as(path).isEqualTo(404);
      assertThat(english.body())
          .contains("There is no such page", "/style.css", "hreflang=\"zh-Hans\"")
          .contains("content=\"width=device-width");
      assertThat(english.headers().firstValue("content-security-policy")).isPresent();
      assertThat(get(path, "accept", "text/html").body()).contains("找不到這個頁面");
      assertThat(get(path, "accept", "text/html", "accept-language", "zh-CN").body())
          .contains("找不到这个页面");
    }
    assertThat(get("/nope", "accept", "text/html", "cookie", "fairgate_lang=en").body())
        .as("the chosen language")
        .contains("There is no such page");
    assertThat(get("/nope").body()).as("a program").startsWith("{");
  }

  @Test
  void aVisitorWithoutScriptSeesReservedUnitsAndADeclinedPayment() throws Exception {
    SHOP.createProduct(
        "{\"id\":\"9\",\"name\":\"Rare\",\"image_url\":\"\",\"price\":1050,\"total_stock\":3}");
    SHOP.openSale("9");
    String cookie = cookie(post("/p/9/join", "", "sec-fetch-site", "same-origin"));
    assertThat(get("/", "cookie", cookie, "accept-language", "en").body())
        .contains("class=\"mine turn\">It is your turn");
    SHOP.hold("9", true);
    assertThat(get("/p/9", "cookie", cookie, "accept-language", "en").body())
        .contains("All units are held by other buyers", "have not paid yet: 3.", "passes in 2 min")
        .contains("content=\"10;url=/p/9\"")
        .doesNotContain("action=\"/p/9/buy\"");
    SHOP.hold("9", false);
    var bought = post("/p/9/buy", "quantity=1", "cookie", cookie, "sec-fetch-site", "same-origin");
    assertThat(bought.statusCode()).isEqualTo(303);
    String pending = get("/p/9", "cookie", cookie, "accept-language", "en").body();
    Matcher url = Pattern.compile("href=\"(/pay/order_9_[0-9a-z]+)\"").matcher(pending);
    assertThat(url.find()).isTrue();
    var failed =
        post(url.group(1), "result=failed", "cookie", cookie, "sec-fetch-site", "same-origin");
    assertThat(failed.statusCode()).isEqualTo(303);
    assertThat(get("/p/9", "cookie", cookie, "accept-language", "en").body())
        .contains("The payment was declined", "Pay within 5 min.", url.group(1));
  }

  @Test
  void aVisitorWithoutScriptSeesThatATurnOutlastsTheSale() throws Exception {
    SHOP.createProduct(
        "{\"id\":\"10\",\"name\":\"Late\",\"image_url\":\"\",\"price\":1050,\"total_stock\":3}");
    SHOP.openSale("10");
    String cookie = cookie(post("/p/10/join", "", "sec-fetch-site", "same-origin"));
    SHOP.closeSale("10");
    assertThat(get("/p/10", "cookie", cookie, "accept-language", "en").body())
        .contains("The sale has closed, but this time is still yours", "action=\"/p/10/buy\"");
  }

  @Test
  void aBannedVisitorSeesTheDecisionItsEndAndTheContact() throws Exception {
    SHOP.ban(true);
    try {
      var page = get("/p/7", "accept", "text/html", "accept-language", "en");
      assertThat(page.statusCode()).isEqualTo(403);
      assertThat(page.body())
          .contains("You cannot use this site", "Case number", "decision-4711")
          .contains("UTC (in 5 min)", "href=\"mailto:help@shop.example\"")
          .doesNotContain("Reference", "for now");
      Matcher style = Pattern.compile("href=\"(/assets/[^\"]+/style.css)\"").matcher(page.body());
      assertThat(style.find()).isTrue();
      assertThat(get(style.group(1)).statusCode()).as("the style sheet").isEqualTo(200);
      assertThat(get("/p/7", "accept", "text/html").body()).contains("案件編號");
    } finally {
      SHOP.ban(false);
    }
  }

  @Test
  void languageLinksKeepTheQuery() throws Exception {
    assertThat(get("/p/7?from=line&lang=en&x=%3C").body())
        .contains("href=\"?from=line&amp;x=%3C&amp;lang=zh-Hans\"");
    assertThat(get("/p/7").body()).contains("href=\"?lang=en\"");
    assertThat(post("/p/7/buy", "quantity=1", "sec-fetch-site", "same-origin").body())
        .as("the answer to a form")
        .contains("href=\"/p/7?lang=en\"");
  }

  @Test
  void versionedAssetsAreCachedForEverAndOthersRevalidated() throws Exception {
    Matcher path = Pattern.compile("/assets/[\\w-]+/sale\\.js").matcher(get("/p/7").body());
    assertThat(path.find()).isTrue();
    var versioned = get(path.group(), "accept-encoding", "gzip");
    assertThat(versioned.headers().firstValue("cache-control").orElse("")).contains("immutable");
    assertThat(versioned.headers().firstValue("content-encoding")).contains("gzip");
    var plain = get("/assets/sale.js");
    assertThat(plain.headers().firstValue("cache-control")).contains("no-cache");
    assertThat(plain.body()).contains("state machine");
    String tag = plain.headers().firstValue("etag").orElseThrow();
    assertThat(get("/assets/sale.js", "if-none-match", tag).statusCode()).isEqualTo(304);
    var old = get("/assets/older/sale.js");
    assertThat(old.statusCode()).isEqualTo(200);
    assertThat(old.headers().firstValue("cache-control")).contains("no-cache");
    assertThat(get("/assets/none.js").statusCode()).isEqualTo(404);
    assertThat(get("/assets/v/..%2Fpage.html").statusCode()).isBetween(400, 404);
  }

  @Test
  void theListIsCompressedAndAPageWithAPurchaseTokenIsNot() throws Exception {
    var list = get("/", "accept-encoding", "gzip").headers();
    assertThat(list.firstValue("content-encoding")).contains("gzip");
    assertThat(list.allValues("vary")).contains("cookie, accept-language", "accept-encoding");
    assertThat(get("/").headers().firstValue("content-encoding")).isEmpty();
    var sale = get("/p/7?from=anybody", "accept-encoding", "gzip").headers();
    assertThat(sale.firstValue("content-encoding")).isEmpty();
  }

  @Test
  void aVisitorWithoutScriptJoinsWaitsAndRefreshes() throws Exception {
    var joined = post("/p/7/join", "", "sec-fetch-site", "same-origin");
    assertThat(joined.statusCode()).isEqualTo(303);
    String cookie = cookie(joined);
    String page = get("/p/7", "cookie", cookie, "accept-language", "en").body();
    assertThat(page)
        .contains("You are in line", "http-equiv=\"refresh\" content=\"10;url=/p/7\"")
        .contains("data-stage=\"waiting\"");
    assertThat(get("/p/8", "cookie", cookie, "accept-language", "en").body())
        .as("a place in another line")
        .doesNotContain("You are in line</h2>")
        .contains("data-stage=\"idle\"");
    assertThat(post("/p/7/leave", "", "cookie", cookie, "origin", SHOP.baseUrl()).statusCode())
        .isEqualTo(303);
    assertThat(get("/p/7", "cookie", cookie).body()).contains("data-stage=\"idle\"");
  }

  @Test
  void aVisitorWithoutScriptBuysAndPays() throws Exception {
    String cookie = cookie(post("/p/8/join", "", "sec-fetch-site", "same-origin"));
    String page = get("/p/8", "cookie", cookie, "accept-language", "en").body();
    assertThat(page).contains("It is your turn", "Buy within 5 min", "<option>2</option>");
    var bought = post("/p/8/buy", "quantity=2", "cookie", cookie, "sec-fetch-site", "same-origin");
    assertThat(bought.statusCode()).isEqualTo(303);
    String pending = get("/p/8", "cookie", cookie, "accept-language", "en").body();
    assertThat(pending).contains("Reserved for you", "NT$1,998");
    Matcher url = Pattern.compile("href=\"(/pay/order_8_[0-9a-z]+)\"").matcher(pending);
    assertThat(url.find()).isTrue();
    assertThat(get(url.group(1), "cookie", cookie).body()).contains("$1,998");
    String none = "/pay/order_8_" + "0".repeat(26);
    assertThat(get(none, "cookie", cookie).statusCode()).as("no such order").isEqualTo(404);
    var odd = post(url.group(1), "result=x", "cookie", cookie, "sec-fetch-site", "same-origin");
    assertThat(odd.statusCode()).isEqualTo(400);
    SHOP.takeProviderAway(true, true);
    assertThat(get(url.group(1), "cookie", cookie, "accept-language", "en").body())
        .contains("role=\"timer\" data-text=\"\">Our payment provider does not answer")
        .doesNotContain("data-left");
    // The first failure of the provider stops no deadline yet.
    for (boolean isStopped : new boolean[] {false, true}) {
      SHOP.takeProviderAway(true, isStopped);
      var away =
          post(
              url.group(1),
              "result=paid",
              "cookie",
              cookie,
              "sec-fetch-site",
              "same-origin",
              "accept-language",
              "en");
      assertThat(away.statusCode()).isEqualTo(503);
      assertThat(away.body())
          .contains("role=\"alert\">Our payment provider does not answer", "if this goes on");
      assertThat(away.body().contains("role=\"timer\" data-text=\"\">")).isEqualTo(isStopped);
      assertThat(away.body().contains("data-left")).isEqualTo(!isStopped);
    }
    SHOP.takeProviderAway(false, false);
    var paid = post(url.group(1), "result=paid", "cookie", cookie, "sec-fetch-site", "same-origin");
    assertThat(paid.headers().firstValue("location")).contains("/p/8");
    assertThat(get("/p/8", "cookie", cookie, "accept-language", "en").body())
        .contains("It is yours", "order_8_");
  }

  @Test
  void aFormFromAnotherSiteChangesNothing() throws Exception {
    String cookie = cookie(post("/p/8/join", "", "sec-fetch-site", "same-origin"));
    for (String[] from :
        new String[][] {
          {"sec-fetch-site", "cross-site"},
          {"sec-fetch-site", "none"},
          {"origin", "https://evil.example"},
          {"origin", "null"},
          {"accept", "*/*"}
        }) {
      var reply = post("/p/8/buy", "quantity=1", "cookie", cookie, from[0], from[1]);
      assertThat(reply.statusCode()).as(String.join(" ", from)).isEqualTo(403);
    }
    assertThat(get("/p/8", "cookie", cookie).body()).contains("data-stage=\"ready\"");
  }

  @Test
  void anInvalidFormIsRefusedWithAText() throws Exception {
    String[] own = {"sec-fetch-site", "same-origin"};
    assertThat(post("/p/8/buy", "quantity=2", own).statusCode()).isEqualTo(404);
    for (String body : new String[] {"", "quantity=-1", "quantity=%zz", "quantity=99999999999"}) {
      var reply = post("/p/8/buy", body, own);
      assertThat(reply.statusCode()).as(body).isEqualTo(400);
      assertThat(reply.body()).contains("role=\"alert\"");
    }
  }

  @Test
  void aPageAboutAMalformedRequestHasOneLanguage() throws Exception {
    String[] browser = {
      "accept", "text/html", "accept-language", "en", "cookie", "fairgate_lang=zh-Hans"
    };
    assertThat(get("/p/" + "8".repeat(9_000), browser).body())
        .contains("lang=\"zh-Hans\"", "请求的地址过长。");
  }

  private static String cookie(HttpResponse<String> reply) {
    return reply.headers().allValues("set-cookie").stream()
        .filter(cookie -> cookie.startsWith("fairgate_session="))
        .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
        .findFirst()
        .orElseThrow();
  }

  private static HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(SHOP.baseUrl() + path)), headers);
  }

  private static HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(SHOP.baseUrl() + path))
            .POST(HttpRequest.BodyPublishers.ofString(body)),
        headers);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder full = headers.length == 0 ? request : request.headers(headers);
    return CLIENT.send(full.build(), HttpResponse.BodyHandlers.ofString());
  }
}
