package fairgate.sale.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Settings of order webhooks.
///
/// @param url empty = nowhere
/// @param secrets `whsec_` and base64 of at least 24 bytes, the newest first; all sign
/// @param timeLimit of one delivery
/// @param waits before each repeat; after the last a message is given up
public record WebhookConfig(
    String url, List<String> secrets, Duration timeLimit, List<Duration> waits) {
  private static final Pattern SECRET = Pattern.compile("whsec_[A-Za-z0-9+/]{32,}={0,2}");

  public WebhookConfig {
    secrets = List.copyOf(secrets);
    waits = List.copyOf(waits);
  }

  /// The waits that Standard Webhooks recommends: repeats over three days.
  public static WebhookConfig to(String url, List<String> secrets) {
    return new WebhookConfig(
        url,
        secrets,
        Duration.ofSeconds(15),
        List.of(
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            Duration.ofMinutes(30),
            Duration.ofHours(2),
            Duration.ofHours(5),
            Duration.ofHours(10),
            Duration.ofHours(14),
            Duration.ofHours(20),
            Duration.ofHours(24)));
  }

  public boolean isOn() {
    return !url.isEmpty();
  }

  /// The problems of these settings; empty when there are none.
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (isOn() && secrets.isEmpty()) {
      problems.add("webhooks.secret: needed to sign what goes to webhooks.url (whsec_...)");
    }
    if (!secrets.stream().allMatch(secret -> SECRET.matcher(secret).matches())) {
      problems.add("webhooks.secret: expected whsec_ and base64 of at least 24 bytes");
    }
    return problems;
  }

  /// The settings without the secrets.
  @Override
  public String toString() {
    return "WebhookConfig[url=%s, secrets=[redacted]]".formatted(url);
  }
}
