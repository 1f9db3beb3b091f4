package fairgate.link.click;

import fairgate.link.click.Bots.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// The kept list of programs, `crawlers.txt`. Its header names source, version and licence;
/// `channels/refresh-crawlers` writes a newer one.
///
/// Nearly all patterns are plain text. They are found by their first characters, so that a
/// `User-Agent` is not compared with each of them.
final class CrawlerList {
  private static final String FILE = "crawlers.txt";
  private static final List<String> TOOLS = List.of("http-library ", "browser-automation ");
  private static final Pattern ESCAPE = Pattern.compile("\\\\([^A-Za-z0-9])");
  private static final Pattern SPECIAL = Pattern.compile("[\\\\^$.|?*+()\\[\\]{}]");
  private static final int HEAD = 3;

  /// Plain texts by their first characters.
  private final Map<Long, List<Text>> texts = new HashMap<>();

  private final List<Expression> expressions = new ArrayList<>();

  private record Text(String text, Kind kind) {}

  private record Expression(Pattern pattern, Kind kind) {}

  private CrawlerList() {}

  static CrawlerList load() {
    CrawlerList list = new CrawlerList();
    try (InputStream in = Objects.requireNonNull(CrawlerList.class.getResourceAsStream(FILE))) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(list::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return list;
  }

  private void add(String line) {
    Kind kind = TOOLS.stream().anyMatch(line::startsWith) ? Kind.TOOL : Kind.CRAWLER;
    String pattern = line.substring(line.indexOf(' ') + 1);
    String text = ESCAPE.matcher(pattern).replaceAll("$1");
    boolean plain = !SPECIAL.matcher(ESCAPE.matcher(pattern).replaceAll("")).find();
    if (plain && text.length() >= HEAD) {
      texts.computeIfAbsent(head(text, 0), _ -> new ArrayList<>()).add(new Text(text, kind));
    } else {
      expressions.add(new Expression(Pattern.compile(pattern), kind));
    }
  }

  private static long head(String text, int at) {
    return (long) text.charAt(at) << 32 | (long) text.charAt(at + 1) << 16 | text.charAt(at + 2);
  }

  /// What the list says of an agent; a browser if it has none of its patterns.
  Kind kind(String agent) {
    Kind found = Kind.BROWSER;
    for (int at = 0; at + HEAD <= agent.length(); at++) {
      for (Text text : texts.getOrDefault(head(agent, at), List.of())) {
        if (agent.startsWith(text.text(), at)) {
          found = later(found, text.kind());
        }
      }
    }
    for (Expression expression : expressions) {
      if (found != Kind.CRAWLER && expression.pattern().matcher(agent).find()) {
        found = later(found, expression.kind());
      }
    }
    return found;
  }

  /// A crawler that is made of a tool is a crawler.
  private static Kind later(Kind one, Kind other) {
    return one.compareTo(other) >= 0 ? one : other;
  }
}
