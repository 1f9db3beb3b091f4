package fairgate.draw.witness;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.StrictText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The latest head of each log that a witness has cosigned, one file per log. A head is on disk
/// before [#put] returns, and a crash leaves the old head or the new one.
final class WitnessedHeads {
  private static final Merkle.Head NONE = new Merkle.Head(0, Merkle.EMPTY);

  private final Path folder;

  WitnessedHeads(Path folder) {
    this.folder = folder;
  }

  /// The latest head of a log; size 0 if there is none.
  Merkle.Head get(String origin) throws IOException {
    Path file = file(origin);
    if (!Files.exists(file)) {
      return NONE;
    }
    List<String> lines =
        StrictText.utf8(Files.readAllBytes(file)).flatMap(StrictText::lines).orElse(List.of());
    OptionalLong size = lines.size() == 3 ? StrictText.number(lines.get(1)) : OptionalLong.empty();
    Optional<Hash> root = lines.size() == 3 ? Hash.ofBase64(lines.get(2)) : Optional.empty();
    if (size.isEmpty() || root.isEmpty() || !lines.getFirst().equals(origin)) {
      // Without its memory, a witness would sign forks.
      throw new IOException("The record of the witness is damaged: " + file);
    }
    return new Merkle.Head(size.getAsLong(), root.get());
  }

  void put(String origin, Merkle.Head head) throws IOException {
    Path file = file(origin);
    Path next = folder.resolve(file.getFileName() + ".new");
    String text = origin + "\n" + head.size() + "\n" + head.root().base64() + "\n";
    try (FileChannel out =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(StrictText.bytes(text));
      while (bytes.hasRemaining()) {
        int _ = out.write(bytes);
      }
      out.force(true);
    }
    Path _ = Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  private Path file(String origin) {
    return folder.resolve("head-" + Hash.ofParts(StrictText.bytes(origin)).hex());
  }
}
