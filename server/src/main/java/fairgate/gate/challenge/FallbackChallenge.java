package fairgate.gate.challenge;

import fairgate.kernel.Proof;
import io.vertx.core.Future;

/// A widget's challenge, with proof of work stepping in while its service does not answer.
///
/// Proof-of-work challenges are handed out only during such an outage, and their solutions count
/// until they expire, on every node. So nobody can choose the easier way while the widget works:
/// without a challenge signed by this server there is nothing to solve.
public final class FallbackChallenge implements ChallengeProvider {
  private final WidgetChallenge widget;
  private final Altcha altcha;

  public FallbackChallenge(WidgetChallenge widget, Altcha altcha) {
    this.widget = widget;
    this.altcha = altcha;
  }

  @Override
  public String name() {
    return widget.name();
  }

  @Override
  public Future<Proof> verify(String token, ChallengeContext context) {
    return AltchaPayload.looksLikeOne(token)
        ? altcha.verify(token, context)
        : widget.verify(token, context);
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
    widget.close();
    altcha.close();
  }

  private ChallengeProvider now() {
    return widget.isDown() ? altcha : widget;
  }
}
