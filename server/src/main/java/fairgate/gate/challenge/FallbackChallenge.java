package fairgate.gate.challenge;

import fairgate.kernel.Proof;
import io.vertx.core.Future;

/// Turnstile, with proof of work stepping in while it does not answer.
///
/// Proof-of-work challenges are handed out only during such an outage, and their solutions count
/// until they expire, on every node. So nobody can choose the easier way while Turnstile works:
/// without a challenge signed by this server there is nothing to solve.
public final class FallbackChallenge implements ChallengeProvider {
  private final Turnstile turnstile;
  private final Altcha altcha;

  public FallbackChallenge(Turnstile turnstile, Altcha altcha) {
    this.turnstile = turnstile;
    this.altcha = altcha;
  }

  @Override
  public String name() {
    return turnstile.name();
  }

  @Override
  public Future<Proof> verify(String token, ChallengeContext context) {
    return AltchaPayload.looksLikeOne(token)
        ? altcha.verify(token, context)
        : turnstile.verify(token, context);
  }

  @Override
  public String settings() {
    return now().settings();
  }

  @Override
  public String offer(ChallengeContext context) {
    return now().offer(context);
  }

  @Override
  public void close() {
    turnstile.close();
    altcha.close();
  }

  private ChallengeProvider now() {
    return turnstile.isDown() ? altcha : turnstile;
  }
}
