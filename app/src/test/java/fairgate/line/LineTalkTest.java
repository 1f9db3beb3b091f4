package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.kernel.SessionId;
import fairgate.testkit.Eventually;
import fairgate.testkit.line.FakeLine.Shown;
import fairgate.testkit.line.LineEvents;
import fairgate.testkit.line.LineEvents.From;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The answers of the bot.
final class LineTalkTest {
  private static LineWorld world;

  @BeforeAll
  static void start() {
    world = LineWorld.start(Map.of());
    world.server.createProduct(
        "5", 3, "{\"preset\": \"queue\", \"ready_slots\": 1, \"active_capacity\": 5}");
    world.server.openSale("5");
  }

  @AfterAll
  static void stop() {
    world.close();
  }

  @AfterEach
  void weatherIsFine() {
    world.weather.answerWith(200);
    world.idle();
  }

  private static List<Shown> shown(From who) {
    return world.line.shown(String.valueOf(who.chat()));
  }

  @Test
  void weatherIsAnsweredForANameOfAPlace() {
    From who = LineWorld.somebody();
    assertThat(world.says(who, "台北")).contains("臺北市", "雨 🌧", "22°C", "80%", "action=weather");
    world.idle();
    assertThat(world.says(who, "　高雄 的天氣 ")).contains("高雄市", "晴");
    world.idle();
    assertThat(world.says(who, "weather in Tokyo")).contains("Tokyo", "陰");
    world.idle();
    assertThat(world.says(who, "Atlantis")).contains("找不到", "Atlantis");
  }

  @Test
  void aTextThatNamesNoPlaceGetsHelpWithoutAWeatherRequest() {
    From who = LineWorld.somebody();
    world.weather.answerWith(500);
    for (String text : List.of("thanks", "Thanks!", "謝謝您～", "😀", "12345", "how are you?")) {
      assertThat(world.says(who, text)).as(text).contains("您可以：");
      world.idle();
    }
    for (String text : List.of("今天天氣", "今天天氣如何？", "weather today", "what's the weather?")) {
      assertThat(world.says(who, text)).as(text).contains("請輸入地名");
      world.idle();
    }
    assertThat(world.says(who, "我的訂單呢")).contains("請貼上訂單編號");
    world.idle();
    world.weather.answerWith(200);
    assertThat(world.says(who, "今天台北天氣如何？")).contains("臺北市");
    world.idle();
    assertThat(world.says(who, "what's the weather in Tokyo today?")).contains("Tokyo", "陰");
  }

  @Test
  void salesBeyondOneCarouselArePaged() {
    From who = LineWorld.somebody();
    for (int i = 0; i < 11; i++) {
      world.server.createProduct("9" + i, 1, "{\"preset\": \"queue\"}");
    }
    Set<String> seen = new TreeSet<>();
    String data = "action=sales";
    for (int i = 0; i < 2; i++) {
      world.idle();
      assertThat(world.answer(who, world.events().postback(who, data))).isNotEmpty();
      JsonNode cards = shown(who).getLast().message().path("template").path("columns");
      assertThat(cards).hasSizeLessThanOrEqualTo(10);
      data = "";
      for (JsonNode card : cards) {
        JsonNode action = card.path("actions").path(0);
        if (action.has("uri")) {
          seen.add(action.path("uri").asText());
        } else {
          data = action.path("data").asText();
        }
      }
    }
    assertThat(seen).hasSize(12);
  }

  @Test
  void weatherIsAnsweredForALocationAndForARepeat() {
    From who = LineWorld.somebody();
    String answer = world.answer(who, world.events().location(who, 35.7, 139.7));
    assertThat(answer).contains("您的位置", "陰", "action=weather&lat=35.7000&lon=139.7000");
    world.idle();
    assertThat(
            world.answer(
                who, world.events().postback(who, "action=weather&lat=35.7000&lon=139.7000")))
        .contains("您的位置", "陰");
  }

  @Test
  void anUnavailableWeatherServiceIsReported() {
    From who = LineWorld.somebody();
    world.weather.answerWith(500);
    assertThat(world.says(who, "台北")).contains("目前無法取得天氣資料");
  }

  @Test
  void anUnknownButtonGetsHelp() {
    From who = LineWorld.somebody();
    for (String data : List.of("", "action", "action=", "action=nothing", "%%%", "action=enter")) {
      assertThat(world.answer(who, world.events().postback(who, data))).as(data).contains("語言");
    }
  }

  @Test
  void theLoadingAnimationIsShownForWeatherInPrivateChatsOnly() {
    From who = LineWorld.somebody();
    assertThat(world.says(who, "台北")).contains("臺北市");
    String path = "/v2/bot/chat/loading/start";
    world.line.await(() -> animated(path, who) == 1, "the animation");
    From group = From.group("C" + "9".repeat(32), who.userId());
    assertThat(world.says(group, "/台北天氣")).contains("臺北市");
    // The animation of the next private question is visible; one of the group's would be visible by
    // then, too.
    From next = LineWorld.somebody();
    assertThat(world.says(next, "台北")).contains("臺北市");
    world.line.await(() -> animated(path, next) == 1, "the next animation");
    assertThat(animated(path, who)).isEqualTo(1);
    assertThat(world.line.calls(path)).noneMatch(call -> call.body().toString().contains("\"C999"));
  }

  private static long animated(String path, From who) {
    return world.line.calls(path).stream()
        .filter(call -> call.status() == 202)
        .filter(call -> call.body().path("chatId").asText().equals(who.userId()))
        .count();
  }

  @Test
  void aNewFriendIsGreetedInTheLanguageOfTheLineApp() {
    assertThat(greeting("en-GB", "Hello!")).contains("quickReply");
    assertThat(greeting("zh-CN", "抢购")).isNotEmpty();
    From nobody = LineWorld.somebody();
    assertThat(world.answer(nobody, world.events().follow(nobody))).contains("搶購");
  }

  /// The greeting of a new friend. Another one comes while Redis does not answer within half a
  /// second, because the greeting then has the default language.
  private static String greeting(String language, String expected) {
    return Eventually.get(
        "a greeting with " + expected,
        () -> {
          From who = LineWorld.somebody();
          world.line.speaks(String.valueOf(who.userId()), language);
          return world.answer(who, world.events().follow(who));
        },
        greeting -> greeting.contains(expected));
  }

  @Test
  void aChosenLanguageIsStored() {
    From who = LineWorld.somebody();
    assertThat(world.says(who, "language")).contains("to=zh-Hans", "to=en");
    world.idle();
    assertThat(world.answer(who, world.events().postback(who, "action=speak&to=en")))
        .contains("English it is");
    world.idle();
    // In the default language while Redis does not answer within half a second.
    LineWorld.await(
        () -> {
          world.idle();
          return world.says(who, "台北").contains("feels like");
        });
  }

  @Test
  void blockingTheBotDeletesTheUsersData() {
    From who = LineWorld.somebody();
    assertThat(world.answer(who, world.events().postback(who, "action=speak&to=en"))).isNotEmpty();
    world.idle();
    String key = LineKeys.language(String.valueOf(who.userId()));
    assertThat(world.redis("EXISTS", key)).isEqualTo("1");
    assertThat(world.send(world.events().event("unfollow", who))).isEqualTo(200);
    LineWorld.await(() -> world.redis("EXISTS", key).equals("0"));
    assertThat(shown(who)).hasSize(1);
  }

  @Test
  void orderNumbersAreFoundInPastedTexts() {
    From who = LineWorld.somebody();
    for (String text :
        List.of(
            "TB1234567890123",
            "我的訂單 TB1234567890123 謝謝",
            "小红书订单：XHS123456789012，麻烦了",
            "抖音 DY123456789012",
            "A1234567",
            "ORDER-99",
            "訂單 A1234567",
            "訂單 1234",
            "Ｐ１２３４５６７８９０１２３４５６７８")) {
      assertThat(world.says(who, text)).as(text).contains("到網頁領取");
    }
    assertThat(world.says(who, "Taipei 101")).as("no order").contains("找不到");
  }

  @Test
  void codesAreNotOfferedWhenTheShopIssuesNone() {
    From who = LineWorld.somebody();
    assertThat(world.says(who, "訂單編號：P123456789012345678 謝謝")).contains("到網頁領取");
    world.idle();
    From group = From.group("C" + "8".repeat(32), who.userId());
    assertThat(world.answer(group, world.events().mention(group, "1234567890123456789")))
        .contains("請私訊我");
  }

  private static String joinLink(From who) {
    assertThat(world.says(who, "搶購")).contains("Ticket", "銷售中", "NT$");
    JsonNode cards = shown(who).getLast().message().path("template").path("columns");
    String link = cards.path(0).path("actions").path(0).path("uri").asText();
    assertThat(link).startsWith(LineWorld.SHOP + "/line/join/");
    return URI.create(link).getPath();
  }

  /// Opens the link and joins as a browser does; returns the session.
  private static String join(String link) {
    return session(join(cookies(open(link))));
  }

  private static HttpResponse<String> open(String link) {
    HttpResponse<String> opened = world.server.call("GET", link, "");
    assertThat(opened.statusCode()).isEqualTo(303);
    assertThat(opened.headers().firstValue("location")).hasValue("/p/5");
    return opened;
  }

  private static List<String> cookies(HttpResponse<String> answer) {
    return answer.headers().allValues("set-cookie").stream()
        .map(each -> each.replaceFirst(";.*", ""))
        .toList();
  }

  private static HttpResponse<String> join(List<String> cookies) {
    return world.server.callUntilAccepted(
        "POST",
        "/api/queue/join",
        "{\"product_id\":\"5\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}",
        "Cookie",
        String.join("; ", cookies));
  }

  /// A second join returns the existing session.
  private static String session(HttpResponse<String> joined) {
    assertThat(joined.body()).contains("session_id");
    return joined.body().replaceFirst(".*\"session_id\":\"([^\"]+)\".*", "$1");
  }

  private static String status(String session) {
    return world.server.call("GET", "/api/queue/status", "", "X-Session-Id", session).body();
  }

  private static void leave(String session) {
    assertThat(
            world.server.call("POST", "/api/queue/leave", "", "X-Session-Id", session).statusCode())
        .isEqualTo(200);
  }

  @Test
  void theSalesListLeadsIntoTheQueueAndTheTurnIsPushed() {
    From first = LineWorld.somebody();
    From second = LineWorld.somebody();
    String session = join(joinLink(first));
    List<Shown> response = world.line.await(String.valueOf(first.chat()), 2);
    assertThat(response.get(1).how()).isEqualTo("push");
    assertThat(response.get(1).message().toString())
        .contains("輪到您了", "Ticket", LineWorld.SHOP + "/p/5");
    world.idle();
    String waiting = join(joinLink(second));
    world.idle();
    assertThat(world.says(second, "順位")).contains("Ticket", "第 1 位");
    assertThat(world.says(first, "順位")).contains("輪到您了");
    leave(session);
    List<Shown> turn = world.line.await(String.valueOf(second.chat()), 3);
    assertThat(turn.get(2).how()).isEqualTo("push");
    leave(waiting);
    world.idle();
    assertThat(world.says(second, "順位")).contains("已結束");
  }

  @Test
  void aBindingLivesAsLongAsItsSession() {
    From who = LineWorld.somebody();
    String session = join(joinLink(who));
    String binding = LineKeys.session(new SessionId(session));
    String user = LineKeys.user(String.valueOf(who.userId()));
    String day = world.redis("PTTL", "session:" + session);
    assertThat(Long.parseLong(world.redis("PTTL", binding)))
        .isCloseTo(Long.parseLong(day), within(60_000L));
    String inThirtyDays = Long.toString(Instant.now().plus(Duration.ofDays(30)).toEpochMilli());
    LineWorld.await(
        () -> {
          // Repeated, because the admission sets `seen` too, and the catalog `last_batch_at`.
          world.redis("HSET", "event:5:sale", "last_batch_at", inThirtyDays);
          world.redis("HSET", "session:" + session, "seen", "0");
          assertThat(status(session)).contains("queue_status");
          return Long.parseLong(world.redis("PTTL", binding)) > 30 * 86_400_000L;
        });
    LineWorld.await(() -> Long.parseLong(world.redis("PTTL", user)) > 30 * 86_400_000L);
    world.redis("HSET", "event:5:sale", "last_batch_at", "0");
    leave(session);
    world.idle();
  }

  @Test
  void aTurnBeforeTheBindingIsNotifiedAfterTheBinding() {
    From who = LineWorld.somebody();
    HttpResponse<String> opened = open(joinLink(who));
    HttpResponse<String> joined = join(List.of());
    String session = session(joined);
    LineWorld.await(() -> status(session).contains("ready_to_purchase"));
    List<String> cookies = new ArrayList<>(cookies(joined));
    cookies.addAll(cookies(opened));
    assertThat(session(join(cookies))).as("the same place").isEqualTo(session);
    List<Shown> response = world.line.await(String.valueOf(who.chat()), 2);
    assertThat(response.get(1).message().toString()).contains("輪到您了");
    assertThat(session(join(cookies))).isEqualTo(session);
    leave(session);
    world.idle();
    assertThat(shown(who)).as("told once").hasSize(2);
  }

  @Test
  void anAlteredLinkLeadsToTheShopAndBindsNothing() {
    From who = LineWorld.somebody();
    String link = joinLink(who);
    HttpResponse<String> opened = world.server.call("GET", link + "x", "");
    assertThat(opened.statusCode()).isEqualTo(303);
    assertThat(opened.headers().firstValue("location")).hasValue("/");
    assertThat(opened.headers().firstValue("set-cookie")).isEmpty();
  }

  @Test
  void inAGroupLinksBindNothingAndPositionsStayPrivate() {
    From group = From.group("C" + "5".repeat(32), LineEvents.userId("somebody loud"));
    assertThat(world.says(group, "/搶購")).contains(LineWorld.SHOP + "/p/5").doesNotContain("/join/");
    world.idle();
    assertThat(world.says(group, "／順位")).contains("私訊");
  }

  @Test
  void aUserWithoutASessionLearnsHowToJoin() {
    assertThat(world.says(LineWorld.somebody(), "my place")).contains("還沒有");
  }
}
