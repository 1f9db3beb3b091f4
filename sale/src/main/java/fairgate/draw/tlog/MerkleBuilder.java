package fairgate.draw.tlog;

import java.util.ArrayList;
import java.util.List;

/// A tree that grows leaf by leaf and keeps only the roots of its complete subtrees. Adding a leaf
/// costs one hash on average; the root of the present size costs at most one per level.
public final class MerkleBuilder {
  private static final int TILE_HEIGHT = 8;

  private final List<Hash> subtrees = new ArrayList<>();
  private long size;

  /// Receives the hashes of tiles above level 0, when their subtrees are complete.
  @FunctionalInterface
  public interface TileHashes {
    void add(int level, long index, Hash hash);
  }

  /// A tree of this size.
  ///
  /// @param subtrees the bytes of [#subtrees]
  public static MerkleBuilder of(long size, byte[] subtrees) {
    if (subtrees.length != Long.bitCount(size) * Hash.LENGTH) {
      throw new IllegalArgumentException("a tree of " + size + " has other subtrees");
    }
    MerkleBuilder tree = new MerkleBuilder();
    for (int at = 0; at < subtrees.length; at += Hash.LENGTH) {
      tree.subtrees.add(Hash.at(subtrees, at));
    }
    tree.size = size;
    return tree;
  }

  public void add(Hash leaf) {
    add(leaf, (_, _, _) -> {});
  }

  /// Adds the hash of the next leaf, and tells the hashes of tiles that it completes.
  public void add(Hash leaf, TileHashes tiles) {
    Hash hash = leaf;
    int height = 0;
    for (long count = size; (count & 1) == 1; count >>= 1) {
      hash = Merkle.node(subtrees.removeLast(), hash);
      height++;
      if (height % TILE_HEIGHT == 0) {
        tiles.add(height / TILE_HEIGHT, size >> height, hash);
      }
    }
    subtrees.add(hash);
    size++;
  }

  public long size() {
    return size;
  }

  /// The roots of the complete subtrees, the largest first, one after the other.
  public byte[] subtrees() {
    return HashList.of(subtrees).bytes(0, subtrees.size());
  }

  public Hash root() {
    if (subtrees.isEmpty()) {
      return Merkle.EMPTY;
    }
    Hash root = subtrees.getLast();
    for (int i = subtrees.size() - 2; i >= 0; i--) {
      root = Merkle.node(subtrees.get(i), root);
    }
    return root;
  }

  public Merkle.Head head() {
    return new Merkle.Head(size, root());
  }
}
