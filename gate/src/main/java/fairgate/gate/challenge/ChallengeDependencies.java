package fairgate.gate.challenge;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import io.vertx.core.Vertx;
import java.time.Clock;

/// Dependencies of challenges.
///
/// @param keys sign the binding of a challenge
/// @param clock the nodes' clocks may differ by up to a minute
public record ChallengeDependencies(Vertx vertx, Clock clock, Ids ids, KeyRing keys) {}
