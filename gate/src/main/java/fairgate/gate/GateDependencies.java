package fairgate.gate;

import fairgate.gate.challenge.FirstUse;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Vertx;
import java.time.Clock;

/// Dependencies of the gate.
///
/// @param keys signs challenges (purposes `altcha` and `altcha-device`)
/// @param clock the nodes' clocks may differ by up to a minute
/// @param used uses up the solutions of steps before a join
public record GateDependencies(
    Vertx vertx, Clock clock, Ids ids, KeyRing keys, Metrics metrics, FirstUse used) {}
