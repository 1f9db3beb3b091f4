package fairgate.gate.policy;

import fairgate.gate.risk.RuleEngine;
import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.time.Clock;

/// Dependencies of policies.
public record PolicyDependencies(
    Vertx vertx,
    PostgresDatabase database,
    RuleEngine rules,
    Clock clock,
    Ids ids,
    Metrics metrics,
    Audit audit) {}
