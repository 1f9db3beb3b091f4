package fairgate.draw.witness;

import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.PostgresCosignatures.Cosignature;
import fairgate.platform.http.HttpPost;
import fairgate.platform.http.HttpPost.Answer;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks one witness for cosignatures (C2SP tlog-witness): at once while a draw waits for them, else
/// each minute if the log has grown. After a failure it pauses for five seconds.
final class WitnessClient {
  private static final Logger LOG = LoggerFactory.getLogger(WitnessClient.class);
  private static final long EVERY_MS = 60_000;
  private static final long PAUSE_MS = 5_000;
  private static final int CONFLICT = 409;

  /// Limits the attempts of one pass: the witness may name its size once.
  private static final int ATTEMPTS = 2;

  private final Witnesses.Config.Witness witness;
  private final Logs logs;
  private final BooleanSupplier isUrgent;
  private final Clock clock;
  private long asked;
  private long pausedUntil;

  /// @param origin of the log to cosign
  record Logs(DrawLogs logs, PostgresCosignatures cosignatures, HttpPost http, String origin) {}

  /// @param isUrgent whether a draw waits for cosignatures
  WitnessClient(
      Witnesses.Config.Witness witness, Logs logs, BooleanSupplier isUrgent, Clock clock) {
    this.witness = witness;
    this.logs = logs;
    this.isUrgent = isUrgent;
    this.clock = clock;
  }

  /// Asks if it is time. Blocks.
  void pass() {
    long now = clock.millis();
    if (now < pausedUntil || (now - asked < EVERY_MS && !isUrgent.getAsBoolean())) {
      return;
    }
    Optional<Checkpoint.Signed> latest = latest();
    long known = logs.cosignatures().latestSize(logs.origin(), witness.key());
    if (latest.isEmpty() || latest.get().checkpoint().head().size() <= known) {
      return;
    }
    Optional<String> problem = ask(latest.get().checkpoint(), known, ATTEMPTS);
    if (problem.isEmpty()) {
      asked = now;
    } else {
      pausedUntil = now + PAUSE_MS;
      LOG.warn(
          "A witness did not cosign; witness={} reason={}", witness.key().name(), problem.get());
    }
  }

  private Optional<Checkpoint.Signed> latest() {
    return logs.logs()
        .checkpoint(logs.origin())
        .flatMap(note -> Checkpoint.parse(StrictText.bytes(note)));
  }

  /// Sends the checkpoint; returns the problem if there is one.
  ///
  /// @param old the size that the witness has cosigned before
  private Optional<String> ask(Checkpoint checkpoint, long old, int attempts) {
    long size = checkpoint.head().size();
    Optional<List<Hash>> proof =
        old == 0
            ? Optional.of(List.of())
            : new TileTree(size, tile -> logs.logs().tile(logs.origin(), tile))
                .consistencyProof(old);
    String note = logs.logs().signed(checkpoint);
    String body =
        "old "
            + old
            + "\n"
            + proof.orElseThrow().stream()
                .map(hash -> hash.base64() + "\n")
                .collect(Collectors.joining())
            + "\n"
            + note;
    Answer answer =
        logs.http()
            .send(
                witness.addCheckpoint(),
                Map.of("content-type", "text/plain; charset=utf-8"),
                StrictText.bytes(body));
    return switch (answer) {
      case Answer.Reply reply when reply.isSuccess() -> keep(checkpoint, note, reply.body());
      case Answer.Reply reply when reply.status() == CONFLICT ->
          conflict(checkpoint, reply.body(), old, attempts);
      case Answer.Reply reply -> Optional.of("status " + reply.status());
      case Answer.NotReached(String reason) -> Optional.of(reason);
      case Answer.NoReply(String reason) -> Optional.of(reason);
    };
  }

  /// The witness has another size: this node's record is old, or was lost.
  private Optional<String> conflict(Checkpoint checkpoint, String body, long old, int attempts) {
    OptionalLong size =
        body.endsWith("\n")
            ? StrictText.number(body.substring(0, body.length() - 1))
            : OptionalLong.empty();
    if (size.isEmpty()) {
      return Optional.of("status 409 without a size");
    }
    if (size.getAsLong() > checkpoint.head().size()) {
      return Optional.of("it has cosigned the larger size " + size.getAsLong());
    }
    if (size.getAsLong() == old || attempts == 1) {
      return Optional.of("it holds another list of the size " + size.getAsLong());
    }
    return ask(checkpoint, size.getAsLong(), attempts - 1);
  }

  private Optional<String> keep(Checkpoint checkpoint, String note, String lines) {
    VerifierKey key = witness.key();
    Optional<SignedNote> signed = SignedNote.parse(StrictText.bytes(note + lines));
    OptionalLong time =
        signed
            .filter(it -> it.text().equals(checkpoint.text()) && !it.isForgedFor(key))
            .map(it -> it.cosignedAt(key).min())
            .orElse(OptionalLong.empty());
    if (time.isEmpty()) {
      return Optional.of("its answer is not a cosignature by " + key.text());
    }
    String own =
        lines
            .lines()
            .filter(line -> line.startsWith("— " + key.name() + " "))
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    logs.cosignatures()
        .put(
            new Cosignature(
                checkpoint.origin(), checkpoint.head().size(), key, note, own, time.getAsLong()));
    return Optional.empty();
  }
}
