package fairgate.draw.store;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.EntryBundle;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.TlogProof;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.Batcher;
import fairgate.platform.run.PeriodicJob;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/// The append-only logs of draws. A leaf whose append has completed is never lost and never moves;
/// an append that failed may be repeated, because a leaf stands in a log once.
public final class DrawLogs implements AutoCloseable {
  private static final int MAX_BATCH = 1_000;
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final PostgresLogs logs;
  private final Function<String, SignerKey> keys;
  private final Batcher<Leaf, Long> batcher;
  private final PeriodicJob publishing;

  @SuppressWarnings("ArrayRecordComponent") // Leaves are not compared.
  private record Leaf(String origin, byte[] data) {}

  /// @param keys the key of the log with an origin
  public DrawLogs(PostgresDatabase database, Function<String, SignerKey> keys) {
    this.logs = new PostgresLogs(database);
    this.keys = keys;
    this.publishing =
        new PeriodicJob("draw-checkpoints", EVERY, database.changes().resting(this::publishGrown));
    // One batch at a time: a second one would wait for the lock of the log.
    this.batcher = Batcher.blocking("draw-log", MAX_BATCH, 1, this::append);
  }

  /// Starts to sign a checkpoint of each log that has grown, every second.
  public void start() {
    publishing.start();
  }

  /// Creates a log; a repeat changes nothing. Blocks.
  public void create(String origin) {
    logs.create(origin);
  }

  /// Appends a leaf. The future has its index, when it is stored.
  ///
  /// @param data at most 65,535 bytes
  public Future<Long> append(String origin, byte[] data) {
    if (data.length > EntryBundle.MAX_ENTRY) {
      throw new IllegalArgumentException("a leaf has at most " + EntryBundle.MAX_ENTRY + " bytes");
    }
    return batcher.submit(new Leaf(origin, data));
  }

  /// Appends leaves together: no head has some of them only. Returns the index of each. Blocks.
  ///
  /// @param leaves at most 65,535 bytes each
  public List<Long> append(String origin, List<byte[]> leaves) {
    return logs.append(origin, leaves);
  }

  /// Appends leaves in the transaction of the caller, and returns the index of each. The log is
  /// locked until the transaction ends.
  ///
  /// @param leaves at most 65,535 bytes each
  public List<Long> append(Db db, String origin, List<byte[]> leaves) {
    return PostgresLogs.append(db, origin, leaves);
  }

  /// Locks a log until the transaction of the caller ends.
  public void lock(Db db, String origin) {
    MerkleBuilder _ = PostgresLogs.locked(db, origin);
  }

  /// The present head, which may be ahead of the latest checkpoint. Blocks.
  public Merkle.Head head(String origin) {
    return logs.head(origin);
  }

  /// The hashes of the leaves from an index on; fewer than `max` at the end. Blocks.
  public List<Hash> leafHashes(String origin, long from, int max) {
    return logs.leafHashes(origin, from, max);
  }

  /// The indexes of leaves by their hashes; without those that the log lacks. Blocks.
  public Map<Hash, Long> indexesOf(String origin, List<Hash> leaves) {
    return logs.indexesOf(origin, leaves);
  }

  private List<Long> append(List<Leaf> leaves) {
    Map<String, List<Integer>> byLog = new TreeMap<>();
    for (int i = 0; i < leaves.size(); i++) {
      byLog.computeIfAbsent(leaves.get(i).origin(), _ -> new ArrayList<>()).add(i);
    }
    Long[] indexes = new Long[leaves.size()];
    byLog.forEach(
        (origin, places) -> {
          List<Long> added =
              logs.append(origin, places.stream().map(i -> leaves.get(i).data()).toList());
          for (int i = 0; i < places.size(); i++) {
            indexes[places.get(i)] = added.get(i);
          }
        });
    return List.of(indexes);
  }

  /// Signs the logs that have grown since their last checkpoint. Blocks.
  public void publish() {
    boolean _ = publishGrown();
  }

  private boolean publishGrown() {
    List<String> grown = logs.behind();
    for (String origin : grown) {
      SignerKey key = keys.apply(origin);
      logs.publish(origin, checkpoint -> checkpoint.signed(key));
    }
    return !grown.isEmpty();
  }

  /// The latest checkpoint; empty if there is none. Blocks.
  public Optional<String> checkpoint(String origin) {
    return logs.checkpoint(origin);
  }

  /// A checkpoint with the signature of its log, and no others. Equal checkpoints give equal notes.
  public String signed(Checkpoint checkpoint) {
    return checkpoint.signed(keys.apply(checkpoint.origin()));
  }

  /// The content of a tile; empty if the log is too small for it. Blocks.
  public Optional<byte[]> tile(String origin, Tile tile) {
    return logs.tile(origin, tile);
  }

  /// The proof that the leaf at an index is in the latest checkpoint; empty if it is not yet.
  /// Blocks.
  ///
  /// @param extra data for its receiver, such as the salt of an entry
  public Optional<TlogProof> proof(String origin, long index, byte[] extra) {
    Optional<String> note = logs.checkpoint(origin);
    long size =
        note.flatMap(text -> Checkpoint.parse(StrictText.bytes(text)))
            .map(signed -> signed.checkpoint().head().size())
            .orElse(0L);
    if (index < 0 || index >= size) {
      return Optional.empty();
    }
    Optional<List<Hash>> hashes =
        new TileTree(size, tile -> logs.tile(origin, tile)).inclusionProof(index);
    return hashes.map(path -> new TlogProof(extra, index, path, note.orElseThrow()));
  }

  @Override
  public void close() {
    publishing.close();
  }
}
