package fairgate.prove.fault;

import fairgate.prove.environment.Broker;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.Waiting;
import fairgate.prove.fault.TrafficWatch.Moment;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Harm to Kafka, which lies between the outbox and the ledger.
final class KafkaFaults {
  /// Longer than a relay waits before it replaces its producer and sends all entries again.
  private static final long GIVEN_UP_MS = 6_500;

  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /// The longest time after which a relay sends again.
  private static final Duration RESENT = Duration.ofSeconds(30);

  private static final int CUTS = 4;

  private KafkaFaults() {}

  /// Kafka dies with entries it has stored and not acknowledged, and stays down until their relay
  /// has given up: they arrive twice. Sales continue meanwhile.
  static boolean away(FaultContext site) throws IOException {
    Broker broker = site.engines().broker().orElseThrow();
    long before = twice(broker);
    Optional<Node> hit =
        TrafficWatch.first(site, Node::kafka, Moment.ANSWERED, node -> node.kafka().holdReplies());
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
      List<Broker.KafkaRecord> all = broker.all();
      return all.size() - all.stream().distinct().count();
    } catch (IOException _) {
      return 0;
    }
  }

  /// Kafka handles all requests, but some of its replies are lost.
  static boolean repliesCut(FaultContext site) {
    Node node = site.node();
    node.kafka().cutReplies(CUTS);
    boolean all = Waiting.holds(PATIENCE, () -> node.kafka().cutsLeft() == 0);
    node.kafka().cutReplies(0);
    return all;
  }

  /// The ledger's transaction is committed, but the offset does not reach Kafka.
  static boolean readerKilled(FaultContext site) {
    Optional<Node> hit =
        TrafficWatch.first(
            site, Node::postgres, Moment.COMMITTED, node -> node.kafka().holdRequests());
    hit.ifPresent(
        node -> {
          Waiting.rest(50);
          node.kill();
          node.start();
        });
    return hit.isPresent();
  }
}
