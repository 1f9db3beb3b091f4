package fairgate.gate.challenge;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import io.vertx.core.Vertx;
import java.time.Clock;

/// What challenges take from outside.
///
/// @param keys sign what a challenge is bound to
/// @param clock the nodes' clocks may differ by up to a minute
public record ChallengeSeams(Vertx vertx, Clock clock, Ids ids, KeyRing keys) {}
