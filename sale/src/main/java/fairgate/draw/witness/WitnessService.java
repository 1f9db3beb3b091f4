package fairgate.draw.witness;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import java.io.IOException;
import java.nio.file.Path;
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
  /// The largest request in bytes.
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
}
