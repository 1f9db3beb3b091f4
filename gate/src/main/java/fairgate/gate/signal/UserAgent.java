package fairgate.gate.signal;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The client that a `User-Agent` names. Anybody can send any text, so the name is only compared
/// with other evidence.
///
/// @param version the major version; 0 when unknown
record UserAgent(Kind kind, Family family, int version) {
  private static final int LONGEST = 512;

  private static final List<String> BOTS =
      List.of("bot", "crawler", "spider", "headlesschrome", "phantomjs", "slurp");
  private static final List<String> TOOLS =
      List.of(
          "curl/",
          "wget/",
          "python",
          "aiohttp",
          "httpx",
          "go-http-client",
          "okhttp",
          "java/",
          "java-http-client",
          "apache-httpclient",
          "axios",
          "node-fetch",
          "undici",
          "libwww-perl",
          "postmanruntime",
          "got (",
          "scrapy",
          "ruby",
          "php");

  private static final Pattern CHROMIUM = Pattern.compile("(?:Chrome|Chromium)/([0-9]{1,4})");
  private static final Pattern FIREFOX = Pattern.compile("Firefox/([0-9]{1,4})");
  private static final Pattern SAFARI = Pattern.compile("Version/([0-9]{1,4})[0-9.]* .*Safari/");

  /// The kind of client, as in the feature `user_agent_kind`.
  enum Kind {
    BROWSER,
    BOT,
    TOOL,
    NONE;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /// The browser engine, as far as it matters for headers.
  enum Family {
    CHROMIUM,
    FIREFOX,
    SAFARI,
    /// A view inside an app, an old browser, or none. Nothing is expected of its headers.
    OTHER;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static UserAgent parse(String text) {
    String beginning = text.length() > LONGEST ? text.substring(0, LONGEST) : text;
    String lower = beginning.toLowerCase(Locale.ROOT);
    if (lower.isBlank()) {
      return new UserAgent(Kind.NONE, Family.OTHER, 0);
    }
    if (BOTS.stream().anyMatch(lower::contains)) {
      return new UserAgent(Kind.BOT, Family.OTHER, 0);
    }
    if (!lower.startsWith("mozilla/")) {
      boolean tool = TOOLS.stream().anyMatch(lower::contains);
      return new UserAgent(tool ? Kind.TOOL : Kind.BROWSER, Family.OTHER, 0);
    }
    return browser(beginning);
  }

  private static UserAgent browser(String text) {
    // Views inside apps change headers as they like.
    boolean insideApp = text.contains("; wv)") || text.contains("Line/") || text.contains("FBAN/");
    if (!insideApp) {
      Matcher chromium = CHROMIUM.matcher(text);
      if (chromium.find()) {
        return new UserAgent(Kind.BROWSER, Family.CHROMIUM, Integer.parseInt(chromium.group(1)));
      }
      Matcher firefox = FIREFOX.matcher(text);
      if (firefox.find()) {
        return new UserAgent(Kind.BROWSER, Family.FIREFOX, Integer.parseInt(firefox.group(1)));
      }
      Matcher safari = SAFARI.matcher(text);
      if (safari.find()) {
        return new UserAgent(Kind.BROWSER, Family.SAFARI, Integer.parseInt(safari.group(1)));
      }
    }
    return new UserAgent(Kind.BROWSER, Family.OTHER, 0);
  }

  /// Whether this browser sends `Sec-Fetch-*` over https.
  boolean sendsSecFetch() {
    return switch (family) {
      case CHROMIUM -> version >= 80;
      case FIREFOX -> version >= 90;
      case SAFARI -> version >= 17;
      case OTHER -> false;
    };
  }

  /// Whether this is a browser of which certain headers are expected.
  boolean isKnownBrowser() {
    return family != Family.OTHER;
  }
}
