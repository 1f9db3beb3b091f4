package fairgate.prove.fault;

import fairgate.prove.stage.Node;
import fairgate.prove.stage.Waiting;
import fairgate.prove.stage.Wire;
import java.time.Duration;

/// Harm to the ledger's engine.
final class PostgresFaults {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private PostgresFaults() {}

  /// Buying goes on meanwhile; the outbox keeps what the ledger has to learn.
  static boolean away(Site site) {
    site.engines().killPostgres();
    Waiting.rest(site.longRun() ? 60_000 : site.about(10_000));
    site.engines().postgresBack();
    return true;
  }

  /// It dies with a batch of orders written and not committed.
  static boolean killed(Site site) {
    Node node = site.node();
    Seen insert = new Seen(false, node.postgres()::holdRequests);
    node.postgres().tap(insert);
    boolean hit = insert.await(PATIENCE);
    node.postgres().tap(Wire.Tap.NONE);
    if (hit) {
      site.engines().killPostgres();
      node.postgres().drop();
    }
    node.postgres().flow();
    if (hit) {
      site.engines().postgresBack();
    }
    return hit;
  }
}
