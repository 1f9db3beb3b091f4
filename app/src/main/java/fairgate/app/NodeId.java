package fairgate.app;

import fairgate.kernel.Ids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The persistent id of this node. After a restart the relay finds its own unfinished entries at
/// once. The id is stored in the data folder. A node without a writable folder gets a new id at
/// every start; other relays claim its unfinished entries after half a minute.
final class NodeId {
  private static final Logger LOG = LoggerFactory.getLogger(NodeId.class);

  private NodeId() {}

  static String of(Path dataDir, Ids ids) {
    Path file = dataDir.resolve("node-id");
    try {
      if (Files.isReadable(file)) {
        String kept = Files.readString(file, StandardCharsets.UTF_8).strip();
        if (kept.matches("[A-Za-z0-9_-]{8,64}")) {
          return kept;
        }
      }
      String fresh = ids.nonce();
      if (Files.isDirectory(dataDir)) {
        Files.writeString(file, fresh + "\n", StandardCharsets.UTF_8);
      }
      return fresh;
    } catch (IOException e) {
      LOG.info("Could not store the node id; a restart will create a new one", e);
      return ids.nonce();
    }
  }
}
