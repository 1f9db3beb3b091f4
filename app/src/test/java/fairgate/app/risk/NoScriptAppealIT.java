package fairgate.app.risk;

import static fairgate.app.risk.AppealServer.cookies;
import static fairgate.app.risk.AppealServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// A browser without JavaScript, which cannot solve the challenge, joins by way of an appeal.
class NoScriptAppealIT {
  private static final Pattern APPEAL = Pattern.compile("href=\"(/appeal/[A-Za-z0-9_-]+)\"");

  @SuppressWarnings("NullAway.Init")
  private static TestFairgate server;

  @BeforeAll
  static void start() {
    TestEngines.shared().flushRedis();
    server =
        TestFairgate.start(
            TestEngines.shared(),
            TestEngines.shared().freshDatabase(),
            Map.of("challenge.provider", "altcha", "risk.mode", "enforce"));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> form(String path, String body, String cookies) {
    return server.callUntilAccepted(
        "POST", path, body, "Sec-Fetch-Site", "same-origin", "Cookie", cookies);
  }

  private static String appealOf(HttpResponse<String> refused) {
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
    Matcher link = APPEAL.matcher(refused.body());
    assertThat(link.find()).as(refused.body()).isTrue();
    return link.group(1);
  }

  private static void grant() {
    long id =
        json(server.admin("GET", "/appeals?state=open", ""))
            .path("appeals")
            .path(0)
            .path("id")
            .asLong();
    assertThat(
            server.admin(
                "POST", "/appeals/" + id, "{\"decision\":\"lift\",\"reason\":\"no script\"}"))
        .contains("\"granted\"");
  }

  @Test
  void aGrantedAppealSparesTheChallengeOnceInTheSale() {
    for (String id : new String[] {"3801", "3802"}) {
      server.createProduct(id, 5, "{\"preset\": \"queue\"}");
      server.openSale(id);
    }
    HttpResponse<String> page = server.call("GET", "/p/3801", "", "Accept", "text/html");
    assertThat(page.body()).contains("action=\"/p/3801/join\"");

    HttpResponse<String> refused = form("/p/3801/join", "", "none=1");
    String cookies = cookies(refused);
    String text = URLEncoder.encode("My browser has no JavaScript.", StandardCharsets.UTF_8);
    for (String bad : new String[] {"text=not%00a+text+at+all", "text=" + text + "&contact=%01"}) {
      assertThat(form(appealOf(refused), bad, cookies).statusCode()).as(bad).isEqualTo(400);
    }
    HttpResponse<String> filed = form(appealOf(refused), "text=" + text, cookies);
    assertThat(filed.statusCode()).as(filed.body()).isEqualTo(201);
    grant();

    assertThat(form("/p/3802/join", "", cookies).statusCode()).as("another sale").isEqualTo(403);
    assertThat(form("/p/3801/join", "", "none=1").statusCode())
        .as("another browser")
        .isEqualTo(403);
    HttpResponse<String> joined = form("/p/3801/join", "", cookies);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(303);
    String place = cookies + "; " + cookies(joined);
    assertThat(form("/p/3801/join", "", place).statusCode()).as("a repeat").isEqualTo(303);
    assertThat(form("/p/3801/leave", "", place).statusCode()).isEqualTo(303);
    assertThat(appealOf(form("/p/3801/join", "", place))).as("a second place").isNotBlank();
  }
}
