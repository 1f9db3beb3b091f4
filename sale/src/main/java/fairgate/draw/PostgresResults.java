package fairgate.draw;

import fairgate.draw.lots.DrawOrder;
import fairgate.draw.tlog.Hash;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/// The tables `draw_result_parts` and `draw_rank_parts`: the order of a draw by rank and by entry.
/// Blocking calls are for virtual threads.
record PostgresResults(PostgresDatabase database) {
  private static final int RANKS_PER_PART = 4_096;
  private static final int NUMBERS_PER_PART = 16_384;

  /// Parts of one statement: about 5 MB.
  private static final int PARTS = 16;

  private static final String ADD_LEAVES =
      """
      INSERT INTO draw_result_parts (draw, part, leaves)
      SELECT $1, n.part, n.leaves FROM unnest($2::int[], $3::bytea[]) AS n (part, leaves)
      ON CONFLICT DO NOTHING
      """;
  private static final String ADD_RANKS =
      """
      INSERT INTO draw_rank_parts (draw, part, ranks)
      SELECT $1, n.part, n.ranks FROM unnest($2::int[], $3::bytea[]) AS n (part, ranks)
      ON CONFLICT DO NOTHING
      """;
  private static final String LEAVES =
      "SELECT leaves FROM draw_result_parts WHERE draw = $1 AND part = $2";
  private static final String RANK =
      """
      SELECT substring(ranks FROM $3 FOR 4) AS rank FROM draw_rank_parts
      WHERE draw = $1 AND part = $2
      """;

  /// Stores the order of a draw. A repeat changes nothing.
  void add(String draw, DrawOrder order) {
    add(draw, ADD_LEAVES, leafParts(order));
    add(draw, ADD_RANKS, rankParts(order.ranks()));
  }

  private void add(String draw, String sql, List<Buffer> parts) {
    for (int from = 0; from < parts.size(); from += PARTS) {
      int start = from;
      int end = Math.min(parts.size(), from + PARTS);
      Integer[] numbers = new Integer[end - start];
      Arrays.setAll(numbers, i -> start + i);
      Buffer[] contents = parts.subList(start, end).toArray(Buffer[]::new);
      database.update(sql, draw, numbers, contents);
    }
  }

  private static List<Buffer> leafParts(DrawOrder order) {
    List<Buffer> parts = new ArrayList<>();
    for (int rank = 0; rank < order.size(); rank++) {
      if (rank % RANKS_PER_PART == 0) {
        parts.add(Buffer.buffer(RANKS_PER_PART * DrawOrder.RESULT_LEAF));
      }
      var _ = parts.getLast().appendBytes(order.resultLeaf(rank));
    }
    return parts;
  }

  private static List<Buffer> rankParts(int[] ranks) {
    List<Buffer> parts = new ArrayList<>();
    for (int index = 0; index < ranks.length; index++) {
      if (index % NUMBERS_PER_PART == 0) {
        parts.add(Buffer.buffer(NUMBERS_PER_PART * Integer.BYTES));
      }
      var _ = parts.getLast().appendInt(ranks[index]);
    }
    return parts;
  }

  /// A part of the file `result`: 4,096 result leaves, fewer in the last one. Empty after the last.
  byte[] part(String draw, int part) {
    return database.reading(
        db ->
            db.query(LEAVES, draw, part).stream()
                .findFirst()
                .map(row -> row.getBuffer("leaves").getBytes())
                .orElse(new byte[0]));
  }

  /// The leaf hashes of entries in order of rank, from a rank to the end of its part.
  List<Hash> leavesFrom(String draw, long rank) {
    byte[] part = part(draw, Math.toIntExact(rank / RANKS_PER_PART));
    List<Hash> leaves = new ArrayList<>();
    for (int i = (int) (rank % RANKS_PER_PART); i < part.length / DrawOrder.RESULT_LEAF; i++) {
      int end = (i + 1) * DrawOrder.RESULT_LEAF;
      leaves.add(Hash.of(Arrays.copyOfRange(part, end - Hash.LENGTH, end)));
    }
    return leaves;
  }

  /// The rank of the entry at an index; empty before the state `drawn`.
  Future<OptionalLong> rank(String draw, long index) {
    int offset = (int) (index % NUMBERS_PER_PART) * Integer.BYTES + 1;
    return database
        .query(RANK, draw, Math.toIntExact(index / NUMBERS_PER_PART), offset)
        .map(
            rows ->
                rows.stream()
                    .mapToLong(row -> ByteBuffer.wrap(row.getBuffer("rank").getBytes()).getInt())
                    .findFirst());
  }
}
