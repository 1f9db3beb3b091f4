package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.KeptPort;
import fairgate.testkit.line.FakeLine;
import fairgate.testkit.line.LineSandbox;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A chat with the bot in Chromium. Screenshots: `target/screenshots`.
class LineSandboxIT {
  private static final String SECRET = "sandbox-channel-secret";
  private static final String TOKEN = "sandbox-channel-token";

  private static final class Bot implements AutoCloseable {
    private final LineSandbox sandbox;
    private final TestFairgate server;

    Bot() throws IOException {
      int port = KeptPort.free();
      URI webhook = URI.create("http://127.0.0.1:" + port + "/line/webhook");
      sandbox = LineSandbox.start(0, SECRET, TOKEN, webhook);
      Map<String, String> settings = new HashMap<>();
      settings.put("server.port", Integer.toString(port));
      settings.put("line.api_url", sandbox.url());
      settings.put("line.channel_secret", SECRET);
      settings.put("line.channel_token", TOKEN);
      settings.put("weather.url", sandbox.url());
      server =
          TestFairgate.start(TestEngines.shared(), TestEngines.shared().freshDatabase(), settings);
      server.createProduct("5", 3, "{\"preset\": \"queue\"}");
      server.openSale("5");
    }

    /// Waits until the last event is settled; an earlier message might get the notice.
    void idle() {
      Eventually.await(
          "the bot is done",
          () ->
              server
                  .metrics()
                  .body()
                  .lines()
                  .anyMatch(row -> row.matches("fairgate_line_waiting 0(\\.0)?")));
    }

    @Override
    public void close() {
      server.close();
      sandbox.close();
    }
  }

  private static void say(Page page, String text) {
    page.fill("#text", text);
    page.click("#say button");
  }

  private static Locator bubble(Page page, String text) {
    return page.locator("#chat li.bot", new Page.LocatorOptions().setHasText(text));
  }

  private static void asksForWeather(Bot bot, Page page) {
    page.click("[data-type=follow]");
    bubble(page, "您好").waitFor();
    say(page, "台北");
    bubble(page, "臺北市：雨").waitFor();
    bot.idle();
    page.click("#location");
    bubble(page, "您的位置").waitFor();
    bot.idle();
  }

  @Test
  void aUserChatsWithTheBot() throws IOException {
    TestEngines.shared().flushRedis();
    try (Bot bot = new Bot();
        Chromium chromium = new Chromium()) {
      Page page =
          chromium.page(
              new Browser.NewContextOptions().setViewportSize(1100, 900).setBypassCSP(true),
              bot.sandbox.url(),
              "zh-TW");
      page.navigate("/");
      asksForWeather(bot, page);
      page.fill("#data", "action=sales");
      page.click("#postback");
      bubble(page, "Ticket").waitFor();
      assertThat(page.locator(".card a").getAttribute("href")).contains("/line/join/");
      bot.idle();
      page.click("#again");
      page.waitForSelector("#status:has-text('機器人已回應 200')");
      page.waitForSelector("#chat li.you:has-text('重新傳送')");
      say(page, "?");
      bubble(page, "切換語言").waitFor();
      bot.idle();
      page.locator("#quick button", new Page.LocatorOptions().setHasText("語言")).click();
      bubble(page, "Choose a language").waitFor();
      bot.idle();
      assertThat(bubble(page, "Ticket").count()).as("delivered twice, answered once").isOne();
      Chromium.shoot(page, "line-sandbox");
      page.locator("#quick button", new Page.LocatorOptions().setHasText("English")).click();
      bubble(page, "English it is").waitFor();
      assertThat(page.locator("#calls li").count()).isGreaterThanOrEqualTo(7);
      assertThat(Chromium.barriers(page)).isEmpty();
      assertThat(chromium.closePages()).isEqualTo(List.of());
      assertThat(bot.sandbox.line().shown()).extracting(FakeLine.Shown::how).containsOnly("reply");
    }
  }

  @Test
  void errorsAreShownAndThePageFitsAPhone() throws IOException {
    TestEngines.shared().flushRedis();
    try (Bot bot = new Bot();
        Chromium chromium = new Chromium()) {
      Page page =
          chromium.page(
              new Browser.NewContextOptions().setViewportSize(390, 844),
              bot.sandbox.url(),
              "zh-TW");
      page.navigate("/");
      page.selectOption("#trouble", "FORGETFUL");
      page.click("#cause");
      page.waitForSelector("#status:has-text('已準備')");
      say(page, "help");
      bubble(page, "天氣").waitFor();
      page.waitForSelector("#calls .bad:has-text('500')");
      page.waitForSelector("#calls .bad:has-text('400 message/reply')");
      assertThat(bubble(page, "天氣").count()).isOne();
      Chromium.shoot(page, "line-sandbox-phone");
      assertThat(chromium.closePages()).isEqualTo(List.of());
    }
  }
}
