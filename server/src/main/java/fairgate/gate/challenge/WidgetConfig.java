package fairgate.gate.challenge;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A challenge run by somebody else's widget, whose tokens a siteverify service judges: Cloudflare
/// Turnstile or hCaptcha.
///
/// @param url where tokens are judged: the service's base, or the whole address ending in
///   `/siteverify`
/// @param siteKey public; shown to the page
/// @param hostnames those a token may have been made on; empty = any
/// @param strict whether a token must name what it was made for (action, session data, time) as far
///   as the service can say it; otherwise only what it names has to be right
/// @param fallback whether proof of work steps in while the service does not answer
/// @param timeout of one call; Turnstile is called once more after it
public record WidgetConfig(
    String url,
    String siteKey,
    String secret,
    List<String> hostnames,
    boolean strict,
    boolean fallback,
    Duration timeout) {
  /// Cloudflare's published keys that pass, refuse or time out on purpose.
  private static final Pattern TURNSTILE_TEST = Pattern.compile("[1-3]x0{10,}.*");

  private static final String HCAPTCHA_TEST_SECRET = "0x0000000000000000000000000000000000000000";
  private static final Pattern HCAPTCHA_TEST_SITE_KEY =
      Pattern.compile("[1-3]0000000-ffff-ffff-ffff-00000000000[1-3]");

  public WidgetConfig {
    hostnames = List.copyOf(hostnames);
  }

  /// Cloudflare's own service, without keys.
  public static WidgetConfig defaults() {
    return new WidgetConfig(
        "https://challenges.cloudflare.com", "", "", List.of(), false, true, Duration.ofSeconds(2));
  }

  /// What is wrong with these settings when a widget is to be used; empty when nothing is.
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

  /// What is unsafe about these settings where real people buy.
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

  /// The whole address calls go to.
  ///
  /// @param path where the service has it below its base
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
