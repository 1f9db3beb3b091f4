package fairgate.platform.audit;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;

/// What the audit log is built on.
///
/// @param keys make the chain (purpose `audit-chain`) and the names of persons (`audit-...`)
/// @param ids names this run of the server
/// @param node what operators know this node by
public record AuditParts(
    PostgresDatabase database, KeyRing keys, Clock clock, Ids ids, Metrics metrics, String node) {}
