package fairgate.link.click;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Tells programs from people by what they say of themselves. A program that lies is not noticed.
public final class Bots {
  /// Words in the `User-Agent` of crawlers, of link previews in chats and of tools.
  private static final List<String> WORDS =
      List.of(
          "bot",
          "crawl",
          "spider",
          "slurp",
          "preview",
          "facebookexternalhit",
          "whatsapp",
          "embedly",
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
          "validator");

  private static final int LONGEST = 300;
  private final Cache<String, Boolean> judged = Caffeine.newBuilder().maximumSize(2_000).build();

  /// Whether a program follows the link.
  ///
  /// @param agent `User-Agent`; empty = a program
  /// @param purpose `Sec-Purpose` or `Purpose`: browsers that only look ahead
  public boolean isBot(String agent, @Nullable String purpose) {
    if (agent.isEmpty() || (purpose != null && purpose.contains("prefetch"))) {
      return true;
    }
    String known = agent.length() > LONGEST ? agent.substring(0, LONGEST) : agent;
    return Boolean.TRUE.equals(judged.get(known, Bots::judge));
  }

  private static boolean judge(String agent) {
    String lower = agent.toLowerCase(Locale.ROOT);
    return WORDS.stream().anyMatch(lower::contains);
  }
}
