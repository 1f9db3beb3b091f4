package fairgate.gate.challenge;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Cloudflare Turnstile.
///
/// @param url where tokens are verified: the service's base, or the whole address ending in
///   `/siteverify`
/// @param siteKey public; shown to the page
/// @param hostnames those a token may have been made on; empty = any
/// @param checkAction whether a token's action must be the one it is used for (the page's widget
///   gets it from the settings)
/// @param fallback whether proof of work steps in while Turnstile does not answer
/// @param timeout of one call; one more is made after it
public record TurnstileConfig(
    String url,
    String siteKey,
    String secret,
    List<String> hostnames,
    boolean checkAction,
    boolean fallback,
    Duration timeout) {
  private static final String PATH = "/turnstile/v0/siteverify";
  private static final Pattern TEST_SECRET = Pattern.compile("[1-3]x0{31}AA");
  private static final Pattern TEST_SITE_KEY = Pattern.compile("[1-3]x0{20}(AA|AB|BB|FF)");

  public TurnstileConfig {
    hostnames = List.copyOf(hostnames);
  }

  /// Cloudflare's own service, without keys.
  public static TurnstileConfig defaults() {
    return new TurnstileConfig(
        "https://challenges.cloudflare.com", "", "", List.of(), false, true, Duration.ofSeconds(2));
  }

  /// What is wrong with these settings when Turnstile is to be used; empty when nothing is.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (secret.isEmpty()) {
      problems.add("turnstile.secret: missing");
    }
    if (siteKey.isEmpty()) {
      problems.add("turnstile.site_key: missing");
    }
    if (!isHttp()) {
      problems.add("turnstile.url: an address beginning with http:// or https://, not " + url);
    }
    if (timeout.toMillis() < 1 || timeout.toSeconds() > 4) {
      problems.add("turnstile.timeout: 1 ms to 4 s");
    }
    return problems;
  }

  /// What is unsafe about these settings where real people buy.
  public List<String> problemsInProduction() {
    List<String> problems = new ArrayList<>();
    if (TEST_SECRET.matcher(secret).matches()) {
      problems.add("turnstile.secret: a test secret, which lets everybody pass");
    }
    if (TEST_SITE_KEY.matcher(siteKey).matches()) {
      problems.add("turnstile.site_key: a test key, which challenges nobody");
    }
    if (hostnames.isEmpty()) {
      problems.add("turnstile.hostnames: empty, so a token made on any site would pass");
    }
    return problems;
  }

  /// The whole address calls go to.
  URI siteverify() {
    String base = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    return URI.create(base.endsWith("/siteverify") ? base : base + PATH);
  }

  /// Without the secret.
  @Override
  public String toString() {
    return "TurnstileConfig[url=%s, siteKey=%s, secret=[redacted], hostnames=%s]"
        .formatted(url, siteKey, hostnames);
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
