package fairgate.link.click;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Recognizes programs by their `User-Agent`. A program with the `User-Agent` of a browser is not
/// recognized.
public final class Bots {
  /// Words in the `User-Agent` of chat previews and crawlers.
  private static final List<String> PREVIEWS =
      List.of(
          "bot",
          "crawl",
          "spider",
          "slurp",
          "preview",
          "facebookexternalhit",
          "facebookcatalog",
          "line-poker",
          "whatsapp",
          "kakaotalk-scrap",
          "embedly",
          "iframely",
          "google-pagerenderer",
          "vkshare",
          "mastodon/",
          "cardyb");

  /// Words in the `User-Agent` of tools.
  private static final List<String> TOOLS =
      List.of(
          "curl/",
          "wget/",
          "python-",
          "java/",
          "http-client",
          "okhttp",
          "libwww",
          "httpclient",
          "headless",
          "monitor",
          "scan",
          "fetch",
          "lighthouse",
          "validator",
          "axios/",
          "aiohttp/",
          "httpie/",
          "postmanruntime",
          "google-inspectiontool");

  /// A brand of telephones, used by people.
  private static final String CUBOT = "cubot";

  private static final int MAX_AGENT_LENGTH = 300;
  private static final int MAX_CACHED_AGENTS = 2_048;

  /// Recent results by hash; threads may overwrite each other's.
  private final @Nullable CachedResult[] judged = new CachedResult[MAX_CACHED_AGENTS];

  private record CachedResult(String agent, boolean bot) {}

  /// Whether a program follows the link.
  ///
  /// @param agent `User-Agent`; empty = a program
  /// @param purpose `Sec-Purpose` or `Purpose`: browsers that only look ahead
  public boolean isBot(String agent, @Nullable String purpose) {
    if (agent.isEmpty() || isPrefetch(purpose)) {
      return true;
    }
    String known = shortened(agent);
    int at = known.hashCode() & (MAX_CACHED_AGENTS - 1);
    CachedResult before = judged[at];
    if (before != null && before.agent().equals(known)) {
      return before.bot();
    }
    boolean bot = judge(known);
    judged[at] = new CachedResult(known, bot);
    return bot;
  }

  /// Whether the link is fetched by a program that shows it to people, such as the preview in a
  /// chat, as opposed to tools that people use.
  public static boolean isPreview(String agent) {
    return names(shortened(agent), PREVIEWS);
  }

  /// Whether a browser fetches the link in advance.
  ///
  /// @param purpose `Sec-Purpose` or `Purpose`
  public static boolean isPrefetch(@Nullable String purpose) {
    return purpose != null && purpose.contains("prefetch");
  }

  private static boolean judge(String agent) {
    return names(agent, PREVIEWS) || names(agent, TOOLS);
  }

  private static boolean names(String agent, List<String> words) {
    String lower = agent.toLowerCase(Locale.ROOT).replace(CUBOT, "");
    return words.stream().anyMatch(lower::contains);
  }

  private static String shortened(String agent) {
    return agent.length() > MAX_AGENT_LENGTH ? agent.substring(0, MAX_AGENT_LENGTH) : agent;
  }
}
