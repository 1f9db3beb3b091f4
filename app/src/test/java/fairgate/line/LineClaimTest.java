package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.app.TestFairgate;
import fairgate.redeem.RedeemTestServer;
import fairgate.testkit.line.FakeLine.Shown;
import fairgate.testkit.line.LineEvents.From;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Redemption codes for order numbers pasted into the chat.
final class LineClaimTest {
  private static final Pattern CODE = Pattern.compile("MHYDET-[A-Z0-9]{6}-[A-Z0-9]{4}");

  private static String code(String answer) {
    Matcher code = CODE.matcher(answer);
    assertThat(code.find()).as(answer).isTrue();
    return code.group();
  }

  @Test
  void theBuyerGetsTheSameCodeAgainAndNobodyElseGetsIt() {
    try (LineWorld world = LineWorld.start(Map.of());
        RedeemTestServer shop = RedeemTestServer.on(world.database(), Map.of())) {
      shop.product("basic", 30);
      shop.order("taobao", "3211058044792473001", "basic", "paid");
      From buyer = LineWorld.somebody();
      String code = code(world.says(buyer, "訂單編號：3211058044792473001 謝謝"));
      world.idle();
      assertThat(code(world.says(buyer, "3211058044792473001"))).isEqualTo(code);
      From other = LineWorld.somebody();
      assertThat(world.says(other, "3211058044792473001")).doesNotContain(code).contains("help");
      assertThat(shop.claim("3211058044792473001", "basic", "web", "").toString())
          .doesNotContain(code);
      assertThat(world.says(other, "3211058044792473999")).doesNotContain("MHYDET");
      LineWorld.await(() -> audit(world).contains("ORDER_NOT_FOUND"));
      assertThat(audit(world))
          .contains("\"what\":\"claimed\"", "\"what\":\"replayed\"", "ORDER_ALREADY_CLAIMED")
          .contains("\"ua\":\"LINE\"")
          .doesNotContain(code, String.valueOf(buyer.userId()));
    }
  }

  private static String audit(LineWorld world) {
    return world
        .server
        .call(
            "GET",
            "/api/admin/audit?kind=claim",
            "",
            "Authorization",
            "Bearer " + TestFairgate.OPERATOR)
        .body();
  }

  @Test
  void withSignedClaimsTheBotAcceptsOwnOrdersOnly() {
    Map<String, String> signed =
        Map.of("redeem.signature", "on", "redeem.signature_keys", "a:secret");
    try (LineWorld world = LineWorld.start(signed);
        RedeemTestServer shop = RedeemTestServer.on(world.database(), Map.of())) {
      shop.product("basic", 30);
      shop.order("taobao", "3211058044792473001", "basic", "paid");
      From buyer = LineWorld.somebody();
      assertThat(world.says(buyer, "訂單編號")).contains("本站", "網頁");
      world.idle();
      assertThat(world.says(buyer, "3211058044792473001")).contains("網頁");
      assertThat(audit(world)).as("no try is counted").doesNotContain("ORDER_NOT_FOUND");
    }
  }

  @Test
  void withSeveralProductsTheBotAsksForTheProduct() {
    try (LineWorld world = LineWorld.start(Map.of());
        RedeemTestServer shop = RedeemTestServer.on(world.database(), Map.of())) {
      shop.product("basic", 30);
      shop.product("gold", null);
      shop.order("taobao", "3211058044792473002", "gold", "paid");
      From buyer = LineWorld.somebody();
      assertThat(world.says(buyer, "3211058044792473002")).contains("哪一項", "basic", "gold");
      List<Shown> shown = world.line.shown(String.valueOf(buyer.chat()));
      JsonNode quick = shown.getLast().message().path("quickReply").path("items");
      assertThat(quick).hasSize(2);
      for (JsonNode item : quick) {
        world.idle();
        String data = item.path("action").path("data").asText();
        String answer = world.answer(buyer, world.events().postback(buyer, data));
        assertThat(CODE.matcher(answer).find()).as(data).isEqualTo(data.contains("gold"));
      }
    }
  }

  @Test
  void everyProductOfALongListCanBeChosen() {
    try (LineWorld world = LineWorld.start(Map.of());
        RedeemTestServer shop = RedeemTestServer.on(world.database(), Map.of())) {
      for (int i = 0; i < 30; i++) {
        shop.product("p" + i, null);
      }
      From buyer = LineWorld.somebody();
      Set<String> offered = new TreeSet<>();
      assertThat(world.says(buyer, "A1234567")).contains("哪一項");
      for (int page = 0; page < 3; page++) {
        List<Shown> shown = world.line.shown(String.valueOf(buyer.chat()));
        String more = "";
        JsonNode quick = shown.getLast().message().path("quickReply").path("items");
        assertThat(quick).hasSizeLessThanOrEqualTo(13);
        for (JsonNode item : quick) {
          String data = item.path("action").path("data").asText();
          if (data.contains("product=")) {
            offered.add(data);
          } else {
            more = data;
          }
        }
        world.idle();
        assertThat(world.answer(buyer, world.events().postback(buyer, more))).contains("哪一項");
      }
      assertThat(offered).hasSize(30);
    }
  }

  @Test
  void theLimitsOfTheWebApplyToEachUserSeparately() {
    Map<String, String> limits =
        Map.of("limits", "on", "redeem.claims_per_minute", "2", "processing_lock.enabled", "off");
    try (LineWorld world = LineWorld.start(limits);
        RedeemTestServer shop = RedeemTestServer.on(world.database(), Map.of())) {
      shop.product("basic", 30);
      shop.order("taobao", "3211058044792473003", "basic", "paid");
      From buyer = LineWorld.somebody();
      assertThat(world.says(buyer, "3211058044792473100")).doesNotContain("請求過於頻繁");
      assertThat(world.says(buyer, "3211058044792473101")).doesNotContain("請求過於頻繁");
      assertThat(world.says(buyer, "3211058044792473102")).contains("請求過於頻繁");
      assertThat(code(world.says(LineWorld.somebody(), "3211058044792473003"))).isNotEmpty();
    }
  }
}
