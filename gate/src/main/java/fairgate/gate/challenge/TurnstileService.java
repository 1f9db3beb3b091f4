package fairgate.gate.challenge;

import fairgate.kernel.KeyRing;
import fairgate.platform.json.JsonText;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Cloudflare Turnstile's siteverify. A token contains the action and the session data (`cdata`) of
/// its widget. The session data are a keyed hash of product and browser, so a token solved for one
/// is invalid for another.
final class TurnstileService implements WidgetChallenge.Service {
  private static final String PATH = "/turnstile/v0/siteverify";
  private static final String PURPOSE = "turnstile-cdata";
  private static final int HASH_BYTES = 12;
  private static final Set<String> CALLERS_FAULTS =
      Set.of("missing-input-response", "invalid-input-response", "timeout-or-duplicate");

  private final WidgetConfig config;
  private final KeyRing keys;
  private final String settings;
  private final URI address;

  TurnstileService(WidgetConfig config, KeyRing keys) {
    this.config = config;
    this.keys = keys;
    this.address = config.siteverify(PATH);
    this.settings = settingsWith(ChallengeProvider.Context.JOIN).toString();
  }

  @Override
  public String name() {
    return "turnstile";
  }

  @Override
  public URI address() {
    return address;
  }

  @Override
  public HttpRequest request(String token, String clientAddress, String idempotencyKey) {
    String body =
        JsonText.object()
            .put("secret", config.secret())
            .put("response", token)
            .put("remoteip", clientAddress)
            .put("idempotency_key", idempotencyKey)
            .toString();
    return HttpRequest.newBuilder(address)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  @Override
  public boolean repeatable() {
    return true;
  }

  @Override
  public Set<String> callerErrors() {
    return CALLERS_FAULTS;
  }

  @Override
  public boolean isMisconfigured(SiteverifyReply reply) {
    return reply.errors().stream().anyMatch(code -> code.endsWith("-secret"));
  }

  @Override
  public String settings() {
    return settings;
  }

  @Override
  public String offer(ChallengeProvider.Context context) {
    return settingsWith(context.action()).put("cdata", cdata(keys.current(), context)).toString();
  }

  @Override
  public @Nullable String problem(SiteverifyReply reply, ChallengeProvider.Context context) {
    if (!isRight(reply.action(), reply.action().equals(context.action()))) {
      return "action";
    }
    return isRight(reply.cdata(), isFor(reply.cdata(), context)) ? null : "cdata";
  }

  /// Whether a token's value is right; an absent value is right unless the settings are strict.
  private boolean isRight(String named, boolean matches) {
    return matches || (named.isEmpty() && !config.strict());
  }

  private JsonText settingsWith(String action) {
    return JsonText.object()
        .put("provider", name())
        .put("site_key", config.siteKey())
        .put("action", action);
  }

  /// Session data of a browser that had no cookie are valid for it, and for requests without one.
  private boolean isFor(String cdata, ChallengeProvider.Context context) {
    int dash = cdata.indexOf('-');
    String keyId = dash < 0 ? "" : cdata.substring(0, dash);
    return keys.knows(keyId)
        && (cdata.startsWith(own(keyId, context))
            || (context.device().fresh() && cdata.endsWith(hash(keyId, context, ""))));
  }

  /// The session data, with the characters that the widget allows: letters, digits, `_` and `-`.
  private String cdata(String keyId, ChallengeProvider.Context context) {
    String own = own(keyId, context);
    return context.device().fresh() ? own + hash(keyId, context, "") : own;
  }

  private String own(String keyId, ChallengeProvider.Context context) {
    return keyId + '-' + hash(keyId, context, context.device().id().value());
  }

  private String hash(String keyId, ChallengeProvider.Context context, String device) {
    String text = context.action() + '|' + context.product().value() + '|' + device;
    byte[] hash = Arrays.copyOf(keys.sign(keyId, PURPOSE, text), HASH_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
  }
}
