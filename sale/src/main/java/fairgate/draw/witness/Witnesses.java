package fairgate.draw.witness;

import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.PostgresCosignatures.Cosigned;
import fairgate.platform.http.HttpPost;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/// The witnesses of the house log: collects their cosignatures, and proves leaves against
/// checkpoints that a quorum has cosigned. Several nodes may collect at the same time.
public final class Witnesses implements AutoCloseable {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

  private final DrawLogs logs;
  private final String origin;
  private final PostgresCosignatures cosignatures;
  private final HttpPost http = new HttpPost("witnesses", CALL_TIMEOUT);
  private final List<PeriodicJob> jobs = new ArrayList<>();

  /// The witnesses of an installation.
  ///
  /// @param witnesses at most 32
  /// @param quorum number of witnesses that must cosign before a draw goes on
  public record Config(List<Witness> witnesses, int quorum) {
    public Config {
      witnesses = List.copyOf(witnesses);
    }

    /// The keys, for the rules of new draws.
    public List<VerifierKey> keys() {
      return witnesses.stream().map(Witness::key).toList();
    }

    /// A witness.
    ///
    /// @param address of the witness; `/add-checkpoint` is below it
    public record Witness(VerifierKey key, URI address) {
      URI addCheckpoint() {
        return URI.create(address.toString().replaceFirst("/$", "") + "/add-checkpoint");
      }
    }
  }

  /// @param origin of the house log
  /// @param isUrgent whether a draw waits for cosignatures
  public Witnesses(
      PostgresDatabase database,
      DrawLogs logs,
      String origin,
      Config config,
      BooleanSupplier isUrgent,
      Clock clock) {
    this.logs = logs;
    this.origin = origin;
    this.cosignatures = new PostgresCosignatures(database);
    var parts = new WitnessClient.Logs(logs, cosignatures, http, origin);
    for (Config.Witness witness : config.witnesses()) {
      WitnessClient client = new WitnessClient(witness, parts, isUrgent, clock);
      // One job each, so that a slow witness does not hold up the others.
      jobs.add(new PeriodicJob("witness-" + witness.key().name(), EVERY, client::pass));
    }
  }

  public void start() {
    jobs.forEach(PeriodicJob::start);
  }

  /// The proof of a leaf against the smallest checkpoint that a quorum of these witnesses has
  /// cosigned in time; empty if there is none. Without a quorum, the latest checkpoint serves.
  /// Blocks.
  ///
  /// @param index of the leaf
  /// @param until latest time of a cosignature that counts, seconds since 1970
  public Optional<TlogProof> proof(
      long index, List<VerifierKey> witnesses, int quorum, long until) {
    if (quorum == 0) {
      return logs.proof(origin, index, new byte[0]);
    }
    Map<Long, List<Cosigned>> bySize = new TreeMap<>();
    for (Cosigned each : cosignatures.after(origin, index, witnesses, until)) {
      bySize.computeIfAbsent(each.size(), _ -> new ArrayList<>()).add(each);
    }
    return bySize.entrySet().stream()
        .filter(each -> each.getValue().size() >= quorum)
        .findFirst()
        .flatMap(each -> proof(index, each.getKey(), each.getValue()));
  }

  private Optional<TlogProof> proof(long index, long size, List<Cosigned> lines) {
    StringBuilder note = new StringBuilder(lines.getFirst().checkpoint());
    lines.forEach(each -> note.append(each.line()));
    Optional<List<Hash>> path =
        new TileTree(size, tile -> logs.tile(origin, tile)).inclusionProof(index);
    return path.map(hashes -> new TlogProof(new byte[0], index, hashes, note.toString()));
  }

  /// The latest checkpoint of the house log with the cosignatures it has; empty if there is none.
  /// Blocks.
  public Optional<String> checkpoint() {
    Optional<String> note = logs.checkpoint(origin);
    return note.flatMap(text -> Checkpoint.parse(StrictText.bytes(text)))
        .map(
            signed ->
                note.orElseThrow() + cosignatures.lines(origin, signed.checkpoint().head().size()));
  }

  @Override
  public void close() {
    jobs.forEach(PeriodicJob::close);
    http.close();
  }
}
