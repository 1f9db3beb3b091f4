package fairgate.draw.lots;

import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/// The order of all entries by tier, lot and leaf hash.
public final class DrawOrder {
  /// Bytes of a result leaf: rank, lot, leaf hash.
  public static final int RESULT_LEAF = Long.BYTES + 2 * Hash.LENGTH;

  private final HashList leaves;
  private final HashList lots;
  private final int[] indexes;

  /// @param prefix the first 8 bytes of the lot, which nearly always decide
  private record Ranked(int tier, long prefix, int index) {}

  private DrawOrder(HashList leaves, HashList lots, int[] indexes) {
    this.leaves = leaves;
    this.lots = lots;
    this.indexes = indexes;
  }

  /// Computes the order.
  ///
  /// @param leaves leaf hashes of the entries
  /// @param tiers the tier of the entry at an index
  public static DrawOrder of(Hash seed, HashList leaves, IntUnaryOperator tiers) {
    Lots keyed = new Lots(seed);
    HashList lots = new HashList();
    Ranked[] ranked = new Ranked[leaves.size()];
    for (int i = 0; i < ranked.length; i++) {
      Hash lot = keyed.lot(leaves.get(i));
      lots.add(lot);
      ranked[i] = new Ranked(tiers.applyAsInt(i), ByteBuffer.wrap(lot.bytes()).getLong(), i);
    }
    Comparator<Ranked> byLot =
        Comparator.comparingInt(Ranked::tier)
            .thenComparing((a, b) -> Long.compareUnsigned(a.prefix(), b.prefix()))
            .thenComparing(each -> lots.get(each.index()))
            .thenComparing(each -> leaves.get(each.index()));
    Arrays.parallelSort(ranked, byLot);
    return new DrawOrder(leaves, lots, Arrays.stream(ranked).mapToInt(Ranked::index).toArray());
  }

  public int size() {
    return indexes.length;
  }

  public int indexAt(int rank) {
    return indexes[rank];
  }

  /// The rank of each entry, by index.
  public int[] ranks() {
    int[] ranks = new int[indexes.length];
    for (int rank = 0; rank < indexes.length; rank++) {
      ranks[indexes[rank]] = rank;
    }
    return ranks;
  }

  public Hash lot(int index) {
    return lots.get(index);
  }

  public byte[] resultLeaf(int rank) {
    int index = indexes[rank];
    return ByteBuffer.allocate(RESULT_LEAF)
        .putLong(rank)
        .put(lots.get(index).bytes())
        .put(leaves.get(index).bytes())
        .array();
  }

  public Hash resultRoot() {
    MerkleBuilder tree = new MerkleBuilder();
    for (int rank = 0; rank < indexes.length; rank++) {
      tree.add(Merkle.leafHash(resultLeaf(rank)));
    }
    return tree.root();
  }

  /// The indexes of the entries that an auditor sees, the smallest number first.
  public static List<Integer> auditSample(Hash seed, HashList leaves, int size) {
    Lots keyed = new Lots(seed);
    record Sampled(Hash number, Hash leaf, int index) {}
    return IntStream.range(0, leaves.size())
        .mapToObj(i -> new Sampled(keyed.audit(leaves.get(i)), leaves.get(i), i))
        .sorted(Comparator.comparing(Sampled::number).thenComparing(Sampled::leaf))
        .limit(size)
        .map(Sampled::index)
        .toList();
  }
}
