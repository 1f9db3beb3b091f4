package fairgate.link.click;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BotsTest {
  private static final Bots BOTS = new Bots();

  private static List<String> lines(String file) throws Exception {
    try (InputStream in = Objects.requireNonNull(BotsTest.class.getResourceAsStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Viber/1.0",
        "Synapse/1.120.0",
        "Mozilla/5.0 (compatible; FlipboardProxy/1.2; +http://flipboard.com/browserproxy)",
        "Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots",
        "Mattermost-Bot/1.1",
        "github-camo (4f3b8a1c)",
        "Chatwork LinkPreview v1",
        "DingTalkBot-LinkService/1.0 (+https://open-doc.dingtalk.com)",
        "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)",
        "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
        "virustotalcloud",
        "http.rb/5.1.1 (Mastodon/4.3.2; +https://mastodon.example/)",
        "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
        "facebookexternalhit/1.1;line-poker/1.0"
      })
  void programsThatFetchLinksByThemselvesAreCrawlers(String agent) {
    assertThat(BOTS.isPreview(agent)).isTrue();
    assertThat(BOTS.isBot(agent, null)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"curl/8.5.0", "Wget/1.21", "python-requests/2.32", "okhttp/4.12.0", "k6"})
  void toolsFollowLinksForTheirUsers(String agent) {
    assertThat(BOTS.isPreview(agent)).isFalse();
  }

  @Test
  void browsersAndAppsAreThoseOfPeople() throws Exception {
    List<String> people = lines("people.txt").stream().filter(l -> !l.startsWith("#")).toList();
    assertThat(people).hasSizeGreaterThan(50);
    assertThat(people).noneMatch(agent -> BOTS.isBot(agent, null) || BOTS.isPreview(agent));
    assertThat(BOTS.isBot(people.getFirst(), "prefetch")).isTrue();
  }

  /// The look-up by first characters finds what each pattern finds.
  @Test
  void everyPlainPatternOfTheListIsFound() throws Exception {
    CrawlerList list = CrawlerList.load();
    List<String> patterns =
        lines("crawlers.txt").stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.substring(line.indexOf(' ') + 1))
            .toList();
    assertThat(patterns).hasSizeGreaterThan(1_000);
    for (String pattern : patterns) {
      String text = pattern.replaceAll("\\\\([^A-Za-z0-9])", "$1");
      String agent = "Mozilla/5.0 (compatible; " + text + " 1.0)";
      if (Pattern.compile(pattern).matcher(agent).find()) {
        assertThat(list.kind(agent)).as(pattern).isNotEqualTo(Bots.Kind.BROWSER);
      }
    }
    assertThat(list.kind("ab")).isEqualTo(Bots.Kind.BROWSER);
    assertThat(list.kind("")).isEqualTo(Bots.Kind.BROWSER);
  }

  /// Data of other projects names its owner and licence.
  @Test
  void theListNamesItsSourceVersionAndLicence() throws Exception {
    String head = String.join("\n", lines("crawlers.txt").subList(0, 6));
    assertThat(head)
        .containsPattern("monperrus/crawler-user-agents, version \\d+\\.\\d+\\.\\d+")
        .contains("MIT License", "Copyright (c) 2017 Martin Monperrus");
  }
}
