package fairgate.draw.store;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.EntryBundle;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/// The tables `draw_logs`, `draw_leaves` and `draw_nodes`. Calls block and are for virtual threads.
record PostgresLogs(PostgresDatabase database) {
  private static final String CREATE =
      "INSERT INTO draw_logs (origin) VALUES ($1) ON CONFLICT DO NOTHING";
  private static final String LOCK =
      "SELECT size, subtrees FROM draw_logs WHERE origin = $1 FOR UPDATE";
  private static final String KNOWN =
      "SELECT hash, index FROM draw_leaves WHERE origin = $1 AND hash = ANY($2::bytea[])";
  private static final String LEAVES =
      """
      INSERT INTO draw_leaves (origin, index, hash, data)
      SELECT $1, n.index, n.hash, n.data
      FROM unnest($2::bigint[], $3::bytea[], $4::bytea[]) AS n (index, hash, data)
      """;
  private static final String NODES =
      """
      INSERT INTO draw_nodes (origin, level, index, hash)
      SELECT $1, n.level, n.index, n.hash
      FROM unnest($2::int[], $3::bigint[], $4::bytea[]) AS n (level, index, hash)
      """;
  private static final String GROW =
      "UPDATE draw_logs SET size = $2, subtrees = $3 WHERE origin = $1";
  private static final String PUBLISH =
      "UPDATE draw_logs SET checkpoint = $2, checkpoint_size = $3 WHERE origin = $1";
  private static final String BEHIND =
      "SELECT origin FROM draw_logs WHERE checkpoint_size <> size ORDER BY origin";
  private static final String CHECKPOINT =
      "SELECT checkpoint FROM draw_logs WHERE origin = $1 AND checkpoint_size >= 0";
  private static final String LEAF_HASHES =
      """
      SELECT hash FROM draw_leaves WHERE origin = $1 AND index >= $2 AND index < $3 ORDER BY index
      """;
  private static final String NODE_HASHES =
      """
      SELECT hash FROM draw_nodes
      WHERE origin = $1 AND index >= $2 AND index < $3 AND level = $4 ORDER BY index
      """;
  private static final String DATA =
      """
      SELECT data FROM draw_leaves WHERE origin = $1 AND index >= $2 AND index < $3 ORDER BY index
      """;

  private record Node(int level, long index, Hash hash) {}

  void create(String origin) {
    int _ = database.update(CREATE, origin);
  }

  /// Appends leaves in their order and returns the index of each. Leaves that the log has keep
  /// their index. The log must exist.
  List<Long> append(String origin, List<byte[]> leaves) {
    return database.tx(db -> append(db, origin, leaves));
  }

  static List<Long> append(Db db, String origin, List<byte[]> leaves) {
    // The lock comes first, so that no other transaction adds what KNOWN does not see.
    MerkleBuilder tree = locked(db, origin);
    List<Hash> hashes = leaves.stream().map(Merkle::leafHash).toList();
    Map<Hash, Long> indexes = known(db, origin, hashes);
    Map<Hash, byte[]> fresh = new LinkedHashMap<>();
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < leaves.size(); i++) {
      Hash hash = hashes.get(i);
      if (indexes.putIfAbsent(hash, tree.size()) == null) {
        fresh.put(hash, leaves.get(i));
        tree.add(hash, (level, index, node) -> nodes.add(new Node(level, index, node)));
      }
    }
    if (!fresh.isEmpty()) {
      write(db, origin, fresh, indexes);
      db.update(
          NODES,
          origin,
          nodes.stream().map(Node::level).toArray(Integer[]::new),
          nodes.stream().map(Node::index).toArray(Long[]::new),
          buffers(nodes, node -> node.hash().bytes()));
      db.update(GROW, origin, tree.size(), Buffer.buffer(tree.subtrees()));
    }
    return hashes.stream().map(hash -> Objects.requireNonNull(indexes.get(hash))).toList();
  }

  private static Map<Hash, Long> known(Db db, String origin, List<Hash> hashes) {
    Map<Hash, Long> indexes = new HashMap<>();
    for (Row row : db.query(KNOWN, origin, buffers(hashes, Hash::bytes))) {
      indexes.put(Hash.of(row.getBuffer("hash").getBytes()), row.getLong("index"));
    }
    return indexes;
  }

  private static void write(
      Db db, String origin, Map<Hash, byte[]> fresh, Map<Hash, Long> indexes) {
    List<Hash> hashes = List.copyOf(fresh.keySet());
    db.update(
        LEAVES,
        origin,
        hashes.stream().map(hash -> Objects.requireNonNull(indexes.get(hash))).toArray(Long[]::new),
        buffers(hashes, Hash::bytes),
        buffers(List.copyOf(fresh.values()), Function.identity()));
  }

  static MerkleBuilder locked(Db db, String origin) {
    List<Row> rows = db.query(LOCK, origin);
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("there is no log " + origin);
    }
    Row row = rows.getFirst();
    return MerkleBuilder.of(row.getLong("size"), row.getBuffer("subtrees").getBytes());
  }

  private static <T> Buffer[] buffers(List<T> items, Function<T, byte[]> bytes) {
    return items.stream().map(item -> Buffer.buffer(bytes.apply(item))).toArray(Buffer[]::new);
  }

  Merkle.Head head(String origin) {
    return database.tx(db -> locked(db, origin).head());
  }

  List<Hash> leafHashes(String origin, long from, int max) {
    return database.reading(
        db ->
            db.query(LEAF_HASHES, origin, from, from + max).stream()
                .map(row -> Hash.of(row.getBuffer("hash").getBytes()))
                .toList());
  }

  Map<Hash, Long> indexesOf(String origin, List<Hash> leaves) {
    return database.reading(db -> known(db, origin, leaves));
  }

  /// The origins of logs that have grown since their checkpoint.
  List<String> behind() {
    return database.rows(BEHIND).stream().map(row -> row.getString("origin")).toList();
  }

  /// Signs the present head of a log.
  ///
  /// @param sign the checkpoint with its signatures
  void publish(String origin, Function<Checkpoint, String> sign) {
    int _ =
        database.tx(
            db -> {
              MerkleBuilder tree = locked(db, origin);
              String note = sign.apply(new Checkpoint(origin, tree.head()));
              return db.update(PUBLISH, origin, note, tree.size());
            });
  }

  Optional<String> checkpoint(String origin) {
    return database.reading(
        db ->
            db.query(CHECKPOINT, origin).stream()
                .findFirst()
                .map(row -> row.getString("checkpoint")));
  }

  /// The content of a tile; empty if the log is too small for it.
  Optional<byte[]> tile(String origin, Tile tile) {
    long from = tile.index() * TilePaths.WIDTH;
    long to = from + tile.width();
    return database.reading(
        db -> {
          if (tile.level() < 0) {
            List<byte[]> data =
                db.query(DATA, origin, from, to).stream()
                    .map(row -> row.getBuffer("data").getBytes())
                    .toList();
            return data.size() < tile.width()
                ? Optional.empty()
                : Optional.of(EntryBundle.write(data));
          }
          List<Row> rows =
              tile.level() == 0
                  ? db.query(LEAF_HASHES, origin, from, to)
                  : db.query(NODE_HASHES, origin, from, to, tile.level());
          HashList hashes = new HashList();
          rows.forEach(row -> hashes.add(Hash.of(row.getBuffer("hash").getBytes())));
          return hashes.size() < tile.width()
              ? Optional.empty()
              : Optional.of(hashes.bytes(0, tile.width()));
        });
  }
}
