package fairgate.gate.signal;

import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;

/// Counts the status requests of a place that came before the time that the last reply had asked
/// for (`poll_after_ms`).
///
/// Counts the last one to two hours on this node, for at most 65,536 places an hour.
///
/// False positives: a reload, a second tab and a return from the background ask early. That is a
/// few times in an hour; a loop without the pause asks early every time. A fifth of the pause is
/// tolerated.
public final class PollSource implements FeatureSource {
  private static final Feature EARLY = FeatureSchema.latest().feature("polls_too_early");
  private static final Duration PERIOD = Duration.ofHours(1);
  private static final int MAX_PLACES = 65_536;

  private final Clock clock;
  private final RecentMap<Polls> polls;

  private static final class Polls {
    private long notBefore;
    private int early;

    synchronized void add(long nowMillis, long pauseMillis) {
      early += nowMillis < notBefore ? 1 : 0;
      notBefore = nowMillis + pauseMillis * 4 / 5;
    }

    synchronized int early() {
      return early;
    }
  }

  public PollSource(Clock clock) {
    this.clock = clock;
    this.polls = new RecentMap<>(clock, PERIOD, MAX_PLACES, Polls::new);
  }

  /// A place has asked for its status.
  ///
  /// @param pauseMillis the pause that the reply asks for
  public void polled(SessionId session, long pauseMillis) {
    polls.touch(session.value(), one -> one.add(clock.millis(), pauseMillis));
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    SessionId session = request.caller().session();
    if (session != null) {
      features.set(EARLY, polls.recent(session.value(), Polls::early));
    }
    return DONE;
  }
}
