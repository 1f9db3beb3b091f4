package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import io.vertx.core.Future;

/// A widget's challenge with proof of work as its fallback while the service is down.
///
/// The server issues proof-of-work challenges only during such an outage; their solutions are valid
/// on every node until they expire. So nobody can choose the easier challenge while the widget
/// works: there is no challenge signed by this server to solve.
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
  public Future<ChallengeResult> verify(String token, ChallengeContext context) {
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
