package fairgate.prove.fault;

import fairgate.prove.environment.Node;
import fairgate.prove.environment.Waiting;
import fairgate.prove.fault.TrafficWatch.Moment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/// Harm to the way from the outbox into the ledger.
final class RelayFaults {
  private static final String NAME = "node-id";

  private RelayFaults() {}

  /// The ledger, or Kafka, has the entries; the acknowledgement to Redis never leaves the node.
  static boolean killed(FaultContext site) {
    boolean kafka = site.engines().broker().isPresent();
    Optional<Node> hit =
        TrafficWatch.first(
            site,
            kafka ? Node::kafka : Node::postgres,
            kafka ? Moment.ANSWERED : Moment.COMMITTED,
            node -> node.redis().holdRequests());
    hit.ifPresent(
        node -> {
          Waiting.rest(50);
          node.kill();
          node.start();
        });
    return hit.isPresent();
  }

  /// Two nodes believe to be the same one, as after a copied data folder.
  static boolean twins(FaultContext site) throws IOException {
    List<Node> nodes = site.stage().nodes();
    Node one = nodes.getFirst();
    Node other = nodes.get(1);
    Path name = other.home().resolve(NAME);
    Path own = other.home().resolve(NAME + ".own");
    if (!Files.exists(name) || !Files.exists(one.home().resolve(NAME))) {
      return false;
    }
    other.stop();
    Path _ = Files.move(name, own, StandardCopyOption.REPLACE_EXISTING);
    Path _ = Files.copy(one.home().resolve(NAME), name, StandardCopyOption.REPLACE_EXISTING);
    other.start();
    Waiting.rest(site.about(site.longRun() ? 20_000 : 4_000));
    other.kill();
    Path _ = Files.move(own, name, StandardCopyOption.REPLACE_EXISTING);
    other.start();
    return true;
  }
}
