package fairgate.gate.signal;

import fairgate.gate.challenge.Altcha.SolveTime;
import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.kernel.ClientAddress;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// The time that the proof of work of a join took: impossibly short, or equal to the millisecond to
/// other joins of the network.
///
/// Counts the last minute on this node, for at most 65,536 pairs of a network and a time.
///
/// False positives: two people behind one address have the same time by chance, about once in a
/// thousand joins; so rules should ask for three or more. A page that restores a solution from its
/// cache does not exist. A join without a challenge, or with another provider's, has no time.
public final class ChallengeSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature MILLIS = SCHEMA.feature("challenge_ms");
  private static final Feature TOO_FAST = SCHEMA.feature("challenge_too_fast");
  private static final Feature SAME = SCHEMA.feature("challenge_same_ms");

  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final int MAX_KEYS = 65_536;

  private final Clock clock;
  private final RecentMap<AtomicInteger> times;

  public ChallengeSource(Clock clock) {
    this.clock = clock;
    this.times = new RecentMap<>(clock, PERIOD, MAX_KEYS, AtomicInteger::new);
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    Request http = request.http();
    if (http != null) {
      SolveTime.of(token(http), clock).ifPresent(time -> set(request, time, features));
    }
    return DONE;
  }

  private void set(RiskRequest request, SolveTime time, Features.Builder features) {
    features.set(MILLIS, time.millis());
    features.set(TOO_FAST, time.isImpossible());
    ClientAddress address = request.caller().address();
    String key =
        request.sale() + ' ' + CrowdSource.Networks.of(address).network() + ' ' + time.millis();
    features.set(SAME, times.recent(key, AtomicInteger::get));
    times.touch(key, AtomicInteger::incrementAndGet);
  }

  private static String token(Request request) {
    try {
      String token = request.json().optionalText("turnstile_token");
      return token == null ? "" : token;
    } catch (InvalidRequest e) {
      // A form of a page, or a body that the route refuses.
      return "";
    }
  }
}
