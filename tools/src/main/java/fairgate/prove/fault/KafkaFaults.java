package fairgate.prove.fault;

import fairgate.prove.fault.Seen.Until;
import fairgate.prove.stage.Broker;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Harm to Kafka, which lies between the outbox and the ledger.
final class KafkaFaults {
  /// Longer than a relay waits before it takes another producer and sends all again.
  private static final long GIVEN_UP_MS = 6_500;

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /// A relay pauses for some seconds at most before it sends again.
  private static final Duration RESENT = Duration.ofSeconds(30);

  private static final int CUTS = 4;

  private KafkaFaults() {}

  /// Killed with entries it has taken and not acknowledged, and away until their relay has given
  /// up: they come twice. Buying goes on meanwhile.
  static boolean away(FaultContext site) throws IOException {
    Broker broker = site.engines().broker().orElseThrow();
    long before = twice(broker);
    Optional<Node> hit =
        Seen.first(site, Node::kafka, Until.ANSWERED, node -> node.kafka().holdReplies());
    broker.kill();
    for (Node node : site.stage().nodes()) {
      node.kafka().drop();
      node.kafka().flow();
    }
    Waiting.rest(site.longRun() ? 60_000 : GIVEN_UP_MS + site.about(1_000));
    broker.back();
    return hit.isPresent() && Waiting.holds(RESENT, () -> twice(broker) > before);
  }

  /// How many entries came more than once; 0 while Kafka cannot tell.
  private static long twice(Broker broker) {
    try {
      List<Broker.Passed> all = broker.all();
      return all.size() - all.stream().distinct().count();
    } catch (IOException _) {
      return 0;
    }
  }

  /// Kafka does what it is asked to do, and some of its answers never come.
  static boolean repliesCut(FaultContext site) {
    Node node = site.node();
    node.kafka().cutReplies(CUTS);
    boolean all = Waiting.holds(PATIENCE, () -> node.kafka().cutsLeft() == 0);
    node.kafka().cutReplies(0);
    return all;
  }

  /// The ledger's commit is done; Kafka is not told how far the node has come.
  static boolean readerKilled(FaultContext site) {
    Optional<Node> hit =
        Seen.first(site, Node::postgres, Until.COMMITTED, node -> node.kafka().holdRequests());
    hit.ifPresent(
        node -> {
          Waiting.rest(50);
          node.kill();
          node.start();
        });
    return hit.isPresent();
  }
}
