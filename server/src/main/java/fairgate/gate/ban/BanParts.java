package fairgate.gate.ban;

import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.time.Clock;

/// What bans are built on.
///
/// @param keys names devices
/// @param clock nodes' clocks may differ; a ban ends so much sooner or later there
public record BanParts(
    Vertx vertx,
    PostgresDatabase database,
    Clock clock,
    Ids ids,
    KeyRing keys,
    Metrics metrics,
    Audit audit) {}
