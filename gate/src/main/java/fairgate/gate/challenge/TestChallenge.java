package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;

/// Accepts one fixed token, for tests and load runs. Refused in production.
public final class TestChallenge implements ChallengeProvider {
  /// The token that passes: Turnstile's dummy token.
  public static final String TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

  private static final Future<ChallengeResult> YES =
      Future.succeededFuture(new ChallengeResult.Accepted(null));
  private static final Future<ChallengeResult> NO =
      Future.succeededFuture(new ChallengeResult.Rejected("not the test token"));
  private static final String SETTINGS = JsonText.object().put("provider", "test").toString();
  private static final String OFFER =
      JsonText.object().put("provider", "test").put("token", TOKEN).toString();

  @Override
  public String name() {
    return "test";
  }

  @Override
  public Future<ChallengeResult> verify(String token, ChallengeProvider.Context context) {
    return token.equals(TOKEN) ? YES : NO;
  }

  @Override
  public String settings() {
    return SETTINGS;
  }

  @Override
  public String offer(ChallengeProvider.Context context) {
    return OFFER;
  }
}
