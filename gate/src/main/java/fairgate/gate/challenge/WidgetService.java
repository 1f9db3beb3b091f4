package fairgate.gate.challenge;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The differences between siteverify services.
sealed interface WidgetService permits TurnstileService, HcaptchaService {
  /// The name in the configuration and the page.
  String name();

  /// The URL that verifies tokens.
  URI address();

  /// The request that verifies a token.
  ///
  /// @param idempotencyKey a UUID, the same for a retry of the same call
  HttpRequest request(String token, String clientAddress, String idempotencyKey);

  /// Whether a call without a response may be retried: the service counts the token once.
  boolean repeatable();

  /// The error codes about the token. All others are errors of this server or the service.
  Set<String> callerErrors();

  /// Whether the service refuses this server's keys, which an operator has to fix.
  boolean isMisconfigured(SiteverifyReply reply);

  /// See [ChallengeProvider#settings].
  String settings();

  /// See [ChallengeProvider#offer].
  String offer(ChallengeContext context);

  /// The first wrong binding of a token that the service has accepted; null when all are right.
  @Nullable String problem(SiteverifyReply reply, ChallengeContext context);
}
