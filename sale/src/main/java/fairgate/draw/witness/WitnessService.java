package fairgate.draw.witness;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Cosigns checkpoints of known logs that extend the latest one it has cosigned.
public final class WitnessService {
  public static final int MAX_REQUEST = 131_072;

  private final SignerKey key;
  private final Map<String, VerifierKey> logs;
  private final WitnessedHeads heads;
  private final Clock clock;

  /// @param logs keys of the logs to watch, by name equal to their origin
  /// @param folder keeps the latest heads
  public WitnessService(SignerKey key, Collection<VerifierKey> logs, Path folder, Clock clock) {
    this.key = key;
    this.logs = logs.stream().collect(Collectors.toMap(VerifierKey::name, Function.identity()));
    this.heads = new WitnessedHeads(folder);
    this.clock = clock;
  }

  private record AddCheckpoint(long old, List<Hash> proof, Checkpoint.Signed signed) {
    static Optional<AddCheckpoint> parse(byte[] body) {
      String text = StrictText.utf8(body).orElse("");
      int gap = text.indexOf("\n\n");
      if (body.length > MAX_REQUEST || gap < 0 || !text.startsWith("old ")) {
        return Optional.empty();
      }
      List<String> lines = List.of(text.substring(0, gap).split("\n", -1));
      OptionalLong old = StrictText.number(lines.getFirst().substring("old ".length()));
      Optional<List<Hash>> proof = TlogProof.hashes(lines.subList(1, lines.size()));
      Optional<Checkpoint.Signed> signed =
          Checkpoint.parse(StrictText.bytes(text.substring(gap + 2)));
      return old.isEmpty() || proof.isEmpty() || signed.isEmpty()
          ? Optional.empty()
          : Optional.of(new AddCheckpoint(old.getAsLong(), proof.get(), signed.get()));
    }
  }

  /// Handles the body of an `add-checkpoint` request. A repeat gets a cosignature with a new time.
  /// Throws IOException if the head cannot be stored; nothing is cosigned then.
  public synchronized WitnessOutcome add(byte[] body) throws IOException {
    Optional<AddCheckpoint> parsed = AddCheckpoint.parse(body);
    if (parsed.isEmpty()) {
      return new WitnessOutcome.Malformed();
    }
    AddCheckpoint request = parsed.get();
    Checkpoint checkpoint = request.signed().checkpoint();
    VerifierKey log = logs.get(checkpoint.origin());
    if (log == null) {
      return new WitnessOutcome.UnknownLog();
    }
    if (!request.signed().note().isSignedBy(log)) {
      return new WitnessOutcome.Unsigned();
    }
    Merkle.Head next = checkpoint.head();
    if (request.old() > next.size()) {
      return new WitnessOutcome.Malformed();
    }
    Merkle.Head latest = heads.get(checkpoint.origin());
    boolean isFork = latest.size() == next.size() && !latest.root().equals(next.root());
    if (request.old() != latest.size() || isFork) {
      return new WitnessOutcome.Conflict(latest.size());
    }
    if (!Merkle.isConsistent(latest, next, request.proof())) {
      return new WitnessOutcome.Inconsistent();
    }
    if (!next.equals(latest)) {
      heads.put(checkpoint.origin(), next);
    }
    return new WitnessOutcome.Cosigned(
        key.cosign(checkpoint.text(), clock.instant().getEpochSecond()));
  }

  /// The latest head of each log that a witness has cosigned, one file per log. A head is on disk
  /// before [#put] returns, and a crash leaves the old head or the new one.
  record WitnessedHeads(Path folder) {
    private static final Merkle.Head NONE = new Merkle.Head(0, Merkle.EMPTY);

    /// The latest head of a log; size 0 if there is none.
    Merkle.Head get(String origin) throws IOException {
      Path file = file(origin);
      if (!Files.exists(file)) {
        return NONE;
      }
      List<String> lines =
          StrictText.utf8(Files.readAllBytes(file)).flatMap(StrictText::lines).orElse(List.of());
      OptionalLong size =
          lines.size() == 3 ? StrictText.number(lines.get(1)) : OptionalLong.empty();
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

  public sealed interface WitnessOutcome {
    /// The checkpoint was recorded and cosigned.
    ///
    /// @param line the signature line
    record Cosigned(String line) implements WitnessOutcome {}

    /// The request is malformed, or its checkpoint is smaller than its old size.
    record Malformed() implements WitnessOutcome {}

    record UnknownLog() implements WitnessOutcome {}

    record Unsigned() implements WitnessOutcome {}

    /// The old size is not the recorded one, or the same size has another root.
    ///
    /// @param size the recorded size
    record Conflict(long size) implements WitnessOutcome {}

    /// The proof does not show that the log only grew.
    record Inconsistent() implements WitnessOutcome {}
  }
}
