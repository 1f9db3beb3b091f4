package fairgate.gate.challenge;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What each siteverify service does its own way.
sealed interface WidgetService permits TurnstileService, HcaptchaService {
  /// The name in the configuration and in the page.
  String name();

  /// Where tokens are judged.
  URI address();

  /// The call that asks for a judgement.
  ///
  /// @param idempotencyKey a UUID, the same for a repeat of the same call
  HttpRequest request(String token, String clientAddress, String idempotencyKey);

  /// Whether a call without an answer may be made once more: the service judges it once.
  boolean repeatable();

  /// The error codes that say something about the token. All others are our fault or the service's.
  Set<String> callersFaults();

  /// Whether these codes refuse this server's own keys: for an operator to mend.
  boolean blamesUs(SiteverifyReply reply);

  /// See [ChallengeProvider#settings].
  String settings();

  /// See [ChallengeProvider#offer].
  String offer(ChallengeContext context);

  /// What a token that the service let pass names wrongly; null when nothing.
  @Nullable String problem(SiteverifyReply reply, ChallengeContext context);
}
