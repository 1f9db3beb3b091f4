package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.RawHttp;
import fairgate.testkit.RawHttp.Answer;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What a browser and a program read when the check before a shop refuses a request, and when a
/// form comes without the `Host` of its page.
class GateRefusalTest {
  private static final String PAGE = "Accept: text/html";

  private static Answer ask(TestFairgate server, String room, String accept, String language) {
    return RawHttp.send(
        server.port(),
        "GET",
        "/gate/check?d=caddy&room=" + room,
        accept,
        "Accept-Language: " + language,
        "X-Forwarded-Method: GET",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: <script>alert(1)</script>.example",
        "X-Forwarded-Uri: /shop");
  }

  @Test
  void aBrowserReadsWhatHappenedAndTheOperatorWhichSettingToChange() {
    TestEngines.shared().flushRedis();
    try (TestFairgate server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("server.trusted_proxies", "127.0.0.1"))) {
      server.admin("PUT", "/rooms/shop", "{\"hosts\": [\"shop.example\"], \"mode\": \"on\"}");
      Answer page =
          Eventually.get(
              "the check knows the room",
              () -> ask(server, "shop", PAGE, "en"),
              answer -> !answer.body().contains("room="));
      assertThat(page.status()).isEqualTo(403);
      assertThat(page.header("content-type")).startsWith("text/html");
      assertThat(page.header("cache-control")).isEqualTo("no-store");
      assertThat(page.body())
          .contains("cannot be opened under this address", "Add it to hosts of the waiting room")
          .doesNotContain("alert(1)", "<script", "/assets/", "href");
      assertThat(ask(server, "shop", PAGE, "zh-TW").body()).contains("網站管理者", "hosts");
      assertThat(ask(server, "shop", PAGE, "zh-CN").body()).contains("网站管理者", "hosts");
      assertThat(ask(server, "other", PAGE, "en").body()).contains("room=");
      assertThat(ask(server, "shop", "Accept: application/json", "en").body())
          .startsWith("{")
          .contains("FORBIDDEN", "other_host", "not allowed")
          .doesNotContain("alert(1)");
      assertThat(form(server, "Origin", "http://shop.example"))
          .contains("the proxy must pass on the Host")
          .doesNotContain("shop.example");
      assertThat(form(server, "Sec-Fetch-Site", "cross-site")).doesNotContain("the Host");
    }
  }

  private static String form(TestFairgate server, String name, String value) {
    HttpResponse<String> refused =
        server.call(
            "POST", "/p/1/join", "", name, value, "Accept", "text/html", "Accept-Language", "en");
    assertThat(refused.statusCode()).isEqualTo(403);
    return refused.body();
  }
}
