package fairgate.link.click;

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
  private static final int MOST_KNOWN = 2_048;

  /// Those judged lately, each at a place of its own; threads may overwrite each other's.
  private final @Nullable Judged[] judged = new Judged[MOST_KNOWN];

  private record Judged(String agent, boolean bot) {}

  /// Whether a program follows the link.
  ///
  /// @param agent `User-Agent`; empty = a program
  /// @param purpose `Sec-Purpose` or `Purpose`: browsers that only look ahead
  public boolean isBot(String agent, @Nullable String purpose) {
    if (agent.isEmpty() || (purpose != null && purpose.contains("prefetch"))) {
      return true;
    }
    String known = agent.length() > LONGEST ? agent.substring(0, LONGEST) : agent;
    int at = known.hashCode() & (MOST_KNOWN - 1);
    Judged before = judged[at];
    if (before != null && before.agent().equals(known)) {
      return before.bot();
    }
    boolean bot = judge(known);
    judged[at] = new Judged(known, bot);
    return bot;
  }

  private static boolean judge(String agent) {
    String lower = agent.toLowerCase(Locale.ROOT);
    return WORDS.stream().anyMatch(lower::contains);
  }
}
