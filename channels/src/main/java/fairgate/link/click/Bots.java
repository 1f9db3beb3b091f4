package fairgate.link.click;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Recognizes programs by their `User-Agent`: by a kept list ([CrawlerList]), and by words that
/// programs use to name themselves. A program with the `User-Agent` of a browser is not recognized.
public final class Bots {
  /// Words of crawlers and chat previews; `cardyb` is Bluesky's.
  private static final List<String> CRAWLERS =
      List.of("bot", "crawl", "spider", "preview", "unfurl", "-scrap", "line-poker", "cardyb");

  private static final List<String> TOOLS =
      List.of(
          "curl/",
          "wget/",
          "python-",
          "java/",
          "http-client",
          "libwww",
          "httpclient",
          "headless",
          "monitor",
          "scan",
          "fetch",
          "lighthouse",
          "validator",
          "postmanruntime");

  /// A brand of telephones, used by people.
  private static final String CUBOT = "cubot";

  private static final int MAX_AGENT_LENGTH = 300;
  private static final int MAX_CACHED_AGENTS = 2_048;

  private final CrawlerList list = CrawlerList.load();

  /// Recent results by hash; threads may overwrite each other's.
  private final @Nullable CachedResult[] judged = new CachedResult[MAX_CACHED_AGENTS];

  private record CachedResult(String agent, Kind kind) {}

  /// What follows a link.
  enum Kind {
    /// A browser, as far as one can tell.
    BROWSER,
    /// A program that somebody runs, such as curl.
    TOOL,
    /// A program that fetches links by itself, such as the preview in a chat.
    CRAWLER
  }

  /// Whether a program follows the link.
  ///
  /// @param agent `User-Agent`; empty = a program
  /// @param purpose `Sec-Purpose` or `Purpose`: browsers that only look ahead
  public boolean isBot(String agent, @Nullable String purpose) {
    return agent.isEmpty() || isPrefetch(purpose) || kind(agent) != Kind.BROWSER;
  }

  /// Whether the link is fetched by a program that acts by itself, such as the preview in a chat,
  /// as opposed to tools that people use.
  public boolean isPreview(String agent) {
    return kind(agent) == Kind.CRAWLER;
  }

  /// Whether a browser fetches the link in advance.
  ///
  /// @param purpose `Sec-Purpose` or `Purpose`
  public static boolean isPrefetch(@Nullable String purpose) {
    return purpose != null && purpose.contains("prefetch");
  }

  private Kind kind(String agent) {
    String known = shortened(agent);
    int at = known.hashCode() & (MAX_CACHED_AGENTS - 1);
    CachedResult before = judged[at];
    if (before != null && before.agent().equals(known)) {
      return before.kind();
    }
    Kind kind = judge(known);
    judged[at] = new CachedResult(known, kind);
    return kind;
  }

  private Kind judge(String agent) {
    Kind listed = list.kind(agent);
    if (listed != Kind.BROWSER) {
      return listed;
    }
    String lower = agent.toLowerCase(Locale.ROOT).replace(CUBOT, "");
    return CRAWLERS.stream().anyMatch(lower::contains)
        ? Kind.CRAWLER
        : TOOLS.stream().anyMatch(lower::contains) ? Kind.TOOL : Kind.BROWSER;
  }

  private static String shortened(String agent) {
    return agent.length() > MAX_AGENT_LENGTH ? agent.substring(0, MAX_AGENT_LENGTH) : agent;
  }
}
