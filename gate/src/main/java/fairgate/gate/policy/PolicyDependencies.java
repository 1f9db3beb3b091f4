package fairgate.gate.policy;

import fairgate.gate.risk.RuleEngine;
import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;

/// Dependencies of policies.
public record PolicyDependencies(
    PostgresDatabase database,
    RuleEngine rules,
    Clock clock,
    Ids ids,
    Metrics metrics,
    Audit audit) {}
