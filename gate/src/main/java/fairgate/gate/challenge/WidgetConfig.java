package fairgate.gate.challenge;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Settings of a widget whose tokens a siteverify service verifies: Cloudflare Turnstile or
/// hCaptcha.
///
/// @param url URL of the service: its base, or the complete URL ending in `/siteverify`
/// @param siteKey public key for the page
/// @param hostnames allowed hosts of a token; empty allows any
/// @param strict whether a token must contain every binding (action, session data, time) that the
///   service supports; otherwise absent ones are accepted
/// @param fallback whether proof of work replaces the widget while the service is down
/// @param timeout timeout of one call; Turnstile is called once more after it
public record WidgetConfig(
    String url,
    String siteKey,
    String secret,
    List<String> hostnames,
    boolean strict,
    boolean fallback,
    Duration timeout) {
  /// Cloudflare's published test keys, which always pass, refuse or time out.
  private static final Pattern TURNSTILE_TEST = Pattern.compile("[1-3]x0{10,}.*");

  private static final String HCAPTCHA_TEST_SECRET = "0x0000000000000000000000000000000000000000";
  private static final Pattern HCAPTCHA_TEST_SITE_KEY =
      Pattern.compile("[1-3]0000000-ffff-ffff-ffff-00000000000[1-3]");

  public WidgetConfig {
    hostnames = List.copyOf(hostnames);
  }

  /// The defaults: Cloudflare's service, without keys.
  public static WidgetConfig defaults() {
    return new WidgetConfig(
        "https://challenges.cloudflare.com", "", "", List.of(), false, true, Duration.ofSeconds(2));
  }

  /// The errors in these settings for a widget; empty when there are none.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (secret.isEmpty()) {
      problems.add("challenge.secret: missing");
    }
    if (siteKey.isEmpty()) {
      problems.add("challenge.site_key: missing");
    }
    if (!isHttp()) {
      problems.add(
          "challenge: the provider's address begins with http:// or https://, unlike " + url);
    }
    if (timeout.toMillis() < 1 || timeout.toSeconds() > 4) {
      problems.add("challenge: the time limit of a call is 1 ms to 4 s");
    }
    return problems;
  }

  public List<String> problemsInProduction() {
    List<String> problems = new ArrayList<>();
    if (TURNSTILE_TEST.matcher(secret).matches() || secret.equals(HCAPTCHA_TEST_SECRET)) {
      problems.add("challenge.secret: a published test secret, which judges nobody; use your own");
    }
    if (TURNSTILE_TEST.matcher(siteKey).matches()
        || HCAPTCHA_TEST_SITE_KEY.matcher(siteKey).matches()) {
      problems.add(
          "challenge.site_key: a published test key, which challenges nobody; use your own");
    }
    return problems;
  }

  /// The complete URL of the service.
  ///
  /// @param path default path below the base
  URI siteverify(String path) {
    String base = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    return URI.create(base.endsWith("/siteverify") ? base : base + path);
  }

  /// Without the secret.
  @Override
  public String toString() {
    return "WidgetConfig[url=%s, siteKey=%s, secret=[redacted], hostnames=%s, strict=%s]"
        .formatted(url, siteKey, hostnames, strict);
  }

  private boolean isHttp() {
    try {
      URI uri = URI.create(url);
      return uri.getHost() != null
          && ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
