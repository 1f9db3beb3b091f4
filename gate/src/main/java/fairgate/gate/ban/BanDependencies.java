package fairgate.gate.ban;

import fairgate.gate.network.Networks;
import fairgate.kernel.Audit;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.time.Clock;

/// Dependencies of bans.
///
/// @param keys keys for the hashes of devices
/// @param networks the country and autonomous system of an address
/// @param clock nodes' clocks may differ; a ban ends on each node by its own clock
public record BanDependencies(
    Vertx vertx,
    PostgresDatabase database,
    Clock clock,
    KeyRing keys,
    Networks networks,
    Metrics metrics,
    Audit audit) {}
