package fairgate.app;

import fairgate.kernel.Ids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The name this node keeps over restarts, so that its relay finds its own unfinished entries again
/// at once. It lies in the data folder; a node without a writable one gets a new name at every
/// start, and its unfinished entries are claimed by the relays after half a minute.
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
      LOG.info("this node's name is not kept: {}", e.toString());
      return ids.nonce();
    }
  }
}
