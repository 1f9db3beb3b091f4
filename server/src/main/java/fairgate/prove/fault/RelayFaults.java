package fairgate.prove.fault;

import fairgate.prove.stage.Node;
import fairgate.prove.stage.Waiting;
import fairgate.prove.stage.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/// Harm to the way from the outbox into the ledger.
final class RelayFaults {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String NAME = "node-id";

  private RelayFaults() {}

  /// The commit is done; the acknowledgement to Redis never leaves the node.
  static boolean killed(Site site) {
    Node node = site.node();
    Seen commit = new Seen(true, node.redis()::holdRequests);
    node.postgres().tap(commit);
    boolean hit = commit.await(PATIENCE);
    if (!hit) {
      node.postgres().tap(Wire.Tap.NONE);
      return false;
    }
    Waiting.rest(50);
    node.kill();
    node.start();
    return true;
  }

  /// Two nodes believe to be the same one, as after a copied data folder.
  static boolean twins(Site site) throws IOException {
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
