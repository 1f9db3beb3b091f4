package fairgate.gate.signal;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.signal.SignalConfig.Transport.Known;
import fairgate.kernel.Word;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Compares the `User-Agent` with the rest of the request: the TLS handshake (JA4), the order of
/// headers and the HTTP version that a trusted proxy reports, and the headers that every current
/// browser sends. Only a contradiction counts: a JA4 alone is no identity, because tools copy those
/// of browsers.
///
/// Headers from anybody but a trusted proxy are ignored. A program on this machine, such as
/// `./fairgate try`, is no stranger and gets no features. A request without a `User-Agent` of a
/// known browser contradicts nothing.
///
/// False positives: antivirus programs and company proxies that open TLS connections have a JA4 and
/// a header order of their own; privacy extensions remove `Accept-Language`; a new browser version
/// can change its JA4 before the operator's list is updated. Therefore each counts only a few
/// points, and none of them alone reaches a challenge.
public final class TransportSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature USER_AGENT_KIND = SCHEMA.feature("user_agent_kind");
  private static final Feature NO_LANGUAGE = SCHEMA.feature("accept_language_missing");
  private static final Feature NO_SEC_FETCH = SCHEMA.feature("sec_fetch_missing");
  private static final Feature HTTP_VERSION = SCHEMA.feature("http_version");
  private static final Feature HTTP_MISMATCH = SCHEMA.feature("http_version_mismatch");
  private static final Feature JA4_PRESENT = SCHEMA.feature("ja4_present");
  private static final Feature JA4_MISMATCH = SCHEMA.feature("ja4_mismatch");
  private static final Feature ORDER_MISMATCH = SCHEMA.feature("header_order_mismatch");

  /// Transport, TLS version, SNI, numbers of ciphers and extensions, first ALPN value; then two
  /// hashes.
  private static final Pattern JA4 =
      Pattern.compile("[tqd][0-9s][0-9d][di][0-9]{4}[0-9a-zA-Z]{2}_[0-9a-f]{12}_[0-9a-f]{12}");

  private static final Pattern HASH = Pattern.compile("[0-9A-Za-z_+/=-]{4,64}");

  /// Most requests have one of a few hundred values.
  private static final int MAX_AGENTS = 2_000;

  private static final int LONGEST_KEPT_AGENT = 512;

  private final SignalConfig.Transport config;
  private final Cache<String, UserAgent> agents =
      Caffeine.newBuilder().maximumSize(MAX_AGENTS).build();

  public TransportSource(SignalConfig.Transport config) {
    this.config = config;
  }

  @Override
  public Future<Void> contribute(RiskRequest risk, Features.Builder features) {
    Request request = risk.http();
    if (request == null || request.isLocal()) {
      return DONE;
    }
    UserAgent agent = agent(request.userAgent());
    features.set(USER_AGENT_KIND, agent.kind().word());
    if (agent.isKnownBrowser()) {
      features.set(NO_LANGUAGE, isMissing(request, "accept-language"));
      features.set(NO_SEC_FETCH, lacksSecFetch(request, agent));
    }
    String ja4 = vouched(request, config.ja4Header(), JA4);
    String version = httpVersion(request);
    features.set(JA4_PRESENT, ja4 != null);
    if (version != null) {
      features.set(HTTP_VERSION, version);
    }
    if (agent.isKnownBrowser()) {
      features.set(JA4_MISMATCH, ja4 != null && ja4Contradicts(ja4, agent));
      features.set(HTTP_MISMATCH, version != null && versionContradicts(version, ja4));
      String order = vouched(request, config.headerOrderHeader(), HASH);
      features.set(ORDER_MISMATCH, order != null && others(config.headerOrders(), order, agent));
    }
    return DONE;
  }

  private UserAgent agent(String text) {
    return text.length() > LONGEST_KEPT_AGENT
        ? UserAgent.parse(text)
        : agents.get(text, UserAgent::parse);
  }

  /// Browsers send `Sec-Fetch-*` over https only.
  private static boolean lacksSecFetch(Request request, UserAgent agent) {
    return agent.sendsSecFetch()
        && request.isSecure()
        && (isMissing(request, "sec-fetch-site") || isMissing(request, "sec-fetch-mode"));
  }

  private static boolean isMissing(Request request, String header) {
    String value = request.header(header);
    return value == null || value.isBlank();
  }

  private static @Nullable String vouched(Request request, String header, Pattern format) {
    String value = header.isEmpty() ? null : request.vouched(header);
    return value != null && format.matcher(value).matches() ? value : null;
  }

  private @Nullable String httpVersion(Request request) {
    String header = config.httpVersionHeader();
    String value = header.isEmpty() ? null : request.vouched(header);
    return switch (value == null ? "" : value) {
      case "1.0", "HTTP/1.0" -> "1.0";
      case "1.1", "HTTP/1.1" -> "1.1";
      case "2", "2.0", "HTTP/2", "HTTP/2.0" -> "2";
      case "3", "3.0", "HTTP/3", "HTTP/3.0" -> "3";
      default -> null;
    };
  }

  /// No current browser uses HTTP/1.0, and HTTP/3 and QUIC go together.
  private static boolean versionContradicts(String version, @Nullable String ja4) {
    if (version.equals("1.0")) {
      return true;
    }
    return ja4 != null && version.equals("3") != ja4.startsWith("q");
  }

  /// Current browsers use TLS 1.3 and name a protocol in ALPN. Beyond that, the operator's list
  /// knows.
  private boolean ja4Contradicts(String ja4, UserAgent agent) {
    boolean old = !ja4.startsWith("13", 1);
    boolean withoutAlpn = ja4.startsWith("00", 8);
    return old || withoutAlpn || others(config.ja4(), ja4, agent);
  }

  /// Whether the list names other clients for this value, and not this one.
  private static boolean others(List<Known> list, String value, UserAgent agent) {
    boolean found = false;
    for (Known known : list) {
      if (value.startsWith(known.value())) {
        if (known.client().equals(agent.family().word())) {
          return false;
        }
        found = true;
      }
    }
    return found;
  }

  /// The client that a `User-Agent` names. Anybody can send any text, so the name is only compared
  /// with other evidence.
  ///
  /// @param version the major version; 0 when unknown
  private record UserAgent(Kind kind, Family family, int version) {
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
    enum Kind implements Word {
      BROWSER,
      BOT,
      TOOL,
      NONE
    }

    /// The browser engine, as far as it matters for headers.
    enum Family implements Word {
      CHROMIUM,
      FIREFOX,
      SAFARI,
      /// A view inside an app, an old browser, or none. Nothing is expected of its headers.
      OTHER
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
      boolean insideApp =
          text.contains("; wv)") || text.contains("Line/") || text.contains("FBAN/");
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
}
