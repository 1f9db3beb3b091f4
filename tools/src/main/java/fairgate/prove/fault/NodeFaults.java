package fairgate.prove.fault;

import fairgate.prove.environment.Node;
import fairgate.prove.environment.Waiting;
import java.time.Duration;

/// Harm to the server's own processes.
final class NodeFaults {
  private static final Duration SKEW = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int CUTS = 12;

  /// The shortest presence timeout of a proof's sales, and some.
  private static final long LONGER_THAN_PRESENCE_MS = 4_500;

  private NodeFaults() {}

  static boolean killed(FaultContext site) {
    Node node = site.node();
    node.kill();
    Waiting.rest(site.about(300));
    node.start();
    return true;
  }

  /// The node's requests no longer reach Redis, and then it dies.
  static boolean killedBefore(FaultContext site) {
    Node node = site.node();
    node.redis().holdRequests();
    boolean held = Waiting.holds(PATIENCE, node.redis()::holding);
    Waiting.rest(site.about(400));
    node.kill();
    node.start();
    return held;
  }

  /// Redis handles the node's requests, but the replies are lost, and then the node dies.
  static boolean killedAfter(FaultContext site) {
    Node node = site.node();
    node.redis().holdReplies();
    boolean held = Waiting.holds(PATIENCE, node.redis()::holding);
    Waiting.rest(site.about(400));
    node.kill();
    node.start();
    return held;
  }

  static boolean repliesCut(FaultContext site) {
    Node node = site.node();
    node.http().cutReplies(CUTS);
    boolean all = Waiting.holds(PATIENCE, () -> node.http().cutsLeft() == 0);
    node.http().cutReplies(0);
    return all;
  }

  static boolean restarted(FaultContext site) {
    Node node = site.node();
    node.stop();
    node.start();
    return true;
  }

  static boolean clock(FaultContext site) {
    Node node = site.node();
    node.stop();
    node.skew(site.chance().nextBoolean() ? SKEW : SKEW.negated());
    node.start();
    Waiting.rest(site.about(site.longRun() ? 20_000 : 4_000));
    node.stop();
    node.skew(Duration.ZERO);
    node.start();
    return true;
  }

  static boolean blackout(FaultContext site) {
    site.stage().nodes().forEach(Node::kill);
    Waiting.rest(site.about(site.longRun() ? 20_000 : 6_000));
    site.stage().allUp();
    return true;
  }

  /// A front door that lets nothing through for longer than people may go unseen, while servers,
  /// Redis and the admission loop run.
  static boolean frontCut(FaultContext site) {
    site.stage().nodes().forEach(node -> node.http().holdRequests());
    try {
      Waiting.rest(LONGER_THAN_PRESENCE_MS + site.about(site.longRun() ? 8_000 : 2_000));
    } finally {
      site.stage().nodes().forEach(node -> node.http().flow());
    }
    return true;
  }
}
