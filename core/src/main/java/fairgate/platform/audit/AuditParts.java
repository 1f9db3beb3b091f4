package fairgate.platform.audit;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;

/// The dependencies of the audit log.
///
/// @param keys for the chain (purpose `audit-chain`) and for names of persons (`audit-...`)
/// @param ids creates the name of this run of the server
/// @param node the name of this node
public record AuditParts(
    PostgresDatabase database, KeyRing keys, Clock clock, Ids ids, Metrics metrics, String node) {}
