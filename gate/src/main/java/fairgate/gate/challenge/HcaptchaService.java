package fairgate.gate.challenge;

import fairgate.platform.json.JsonText;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// hCaptcha's siteverify: a form, without idempotency keys, and with the host as the only binding
/// in a token. A token is valid once, and a retry looks like a second use, so a call without a
/// response is not retried.
final class HcaptchaService implements WidgetChallenge.Service {
  private static final String PATH = "/siteverify";
  private static final Set<String> CALLERS_FAULTS =
      Set.of(
          "missing-input-response",
          "invalid-input-response",
          "expired-input-response",
          "already-seen-response",
          "invalid-or-already-seen-response");

  private final WidgetConfig config;
  private final URI address;
  private final String settings;

  HcaptchaService(WidgetConfig config) {
    this.config = config;
    this.address = config.siteverify(PATH);
    this.settings =
        JsonText.object().put("provider", name()).put("site_key", config.siteKey()).toString();
  }

  @Override
  public String name() {
    return "hcaptcha";
  }

  @Override
  public URI address() {
    return address;
  }

  @Override
  public HttpRequest request(String token, String clientAddress, String idempotencyKey) {
    String body =
        field("secret", config.secret())
            + '&'
            + field("response", token)
            + '&'
            + field("remoteip", clientAddress)
            + '&'
            + field("sitekey", config.siteKey());
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  @Override
  public boolean repeatable() {
    return false;
  }

  @Override
  public Set<String> callerErrors() {
    return CALLERS_FAULTS;
  }

  @Override
  public boolean isMisconfigured(SiteverifyReply reply) {
    return reply.errors().stream()
        .anyMatch(
            code ->
                code.endsWith("-secret")
                    || code.equals("sitekey-secret-mismatch")
                    || code.startsWith("not-using-dummy-"));
  }

  @Override
  public String settings() {
    return settings;
  }

  @Override
  public String offer(ChallengeProvider.Context context) {
    return settings;
  }

  @Override
  public @Nullable String problem(SiteverifyReply reply, ChallengeProvider.Context context) {
    return null;
  }

  private static String field(String name, String value) {
    return name + '=' + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
