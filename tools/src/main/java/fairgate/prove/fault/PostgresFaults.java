package fairgate.prove.fault;

import fairgate.prove.environment.Node;
import fairgate.prove.environment.Waiting;
import fairgate.prove.fault.TrafficWatch.Moment;
import java.util.Optional;

/// Harm to the ledger's engine.
final class PostgresFaults {
  private PostgresFaults() {}

  /// Sales continue meanwhile; the outbox keeps the entries for the ledger.
  static boolean away(FaultContext site) {
    site.engines().killPostgres();
    Waiting.rest(site.longRun() ? 60_000 : site.about(10_000));
    site.engines().postgresBack();
    return true;
  }

  /// It dies with a batch of orders written and not committed.
  static boolean killed(FaultContext site) {
    Optional<Node> hit =
        TrafficWatch.first(
            site, Node::postgres, Moment.SENT, node -> node.postgres().holdRequests());
    hit.ifPresent(
        node -> {
          site.engines().killPostgres();
          node.postgres().drop();
          node.postgres().flow();
          site.engines().postgresBack();
        });
    return hit.isPresent();
  }
}
