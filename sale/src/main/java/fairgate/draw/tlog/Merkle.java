package fairgate.draw.tlog;

import java.util.ArrayList;
import java.util.List;

/// The Merkle trees of RFC 6962: roots, inclusion proofs and consistency proofs.
public final class Merkle {
  /// The root of a tree without leaves.
  public static final Hash EMPTY = Hash.ofParts();

  private static final byte[] LEAF = {0};
  private static final byte[] NODE = {1};

  private Merkle() {}

  public static Hash leafHash(byte[] data) {
    return Hash.ofParts(LEAF, data);
  }

  static Hash node(Hash left, Hash right) {
    return Hash.ofParts(NODE, left.bytes(), right.bytes());
  }

  public static Hash root(HashList leaves) {
    return root(leaves, 0, leaves.size());
  }

  public static Hash root(HashList leaves, int from, int to) {
    int size = to - from;
    if (size <= 1) {
      return size == 0 ? EMPTY : leaves.get(from);
    }
    int middle = from + (int) split(size);
    return node(root(leaves, from, middle), root(leaves, middle, to));
  }

  /// The largest power of two below the size, which is at least 2.
  static long split(long size) {
    return Long.highestOneBit(size - 1);
  }

  /// The proof that the leaf is in the tree of the first `size` leaves, from the leaf's sibling up
  /// (RFC 6962, 2.1.1).
  public static List<Hash> inclusionProof(HashList leaves, int index, int size) {
    if (index < 0 || index >= size || size > leaves.size()) {
      throw new IndexOutOfBoundsException(index);
    }
    List<Hash> proof = new ArrayList<>();
    include(leaves, index, 0, size, proof);
    return List.copyOf(proof);
  }

  private static void include(HashList leaves, int index, int from, int to, List<Hash> proof) {
    if (to - from == 1) {
      return;
    }
    int middle = from + (int) split(to - from);
    if (index < middle) {
      include(leaves, index, from, middle, proof);
      proof.add(root(leaves, middle, to));
    } else {
      include(leaves, index, middle, to, proof);
      proof.add(root(leaves, from, middle));
    }
  }

  /// The root that an inclusion proof leads to (RFC 9162, 2.1.3.2). A proof of the wrong length
  /// leads to [#EMPTY], which is the root of no tree with leaves.
  public static Hash rootOf(long index, long size, Hash leaf, List<Hash> proof) {
    if (index < 0 || index >= size) {
      return EMPTY;
    }
    long node = index;
    long last = size - 1;
    Hash root = leaf;
    for (Hash sibling : proof) {
      if (last == 0) {
        return EMPTY;
      }
      if ((node & 1) == 1 || node == last) {
        root = node(sibling, root);
        while ((node & 1) == 0 && node != 0) {
          node >>= 1;
          last >>= 1;
        }
      } else {
        root = node(root, sibling);
      }
      node >>= 1;
      last >>= 1;
    }
    return last == 0 ? root : EMPTY;
  }

  public static boolean isIncluded(
      long index, long size, Hash leaf, List<Hash> proof, Hash expectedRoot) {
    return index >= 0 && index < size && rootOf(index, size, leaf, proof).equals(expectedRoot);
  }

  /// The proof that the first `newer` leaves begin with the first `older` leaves (RFC 6962, 2.1.2).
  /// It is empty if the older tree is empty or has the same size.
  public static List<Hash> consistencyProof(HashList leaves, int older, int newer) {
    if (older < 0 || older > newer || newer > leaves.size()) {
      throw new IndexOutOfBoundsException(older);
    }
    List<Hash> proof = new ArrayList<>();
    if (older > 0 && older < newer) {
      connect(leaves, older, 0, newer, true, proof);
    }
    return List.copyOf(proof);
  }

  private static void connect(
      HashList leaves, int older, int from, int to, boolean isWholeTree, List<Hash> proof) {
    if (older == to - from) {
      if (!isWholeTree) {
        proof.add(root(leaves, from, to));
      }
      return;
    }
    int half = (int) split(to - from);
    int middle = from + half;
    if (older <= half) {
      connect(leaves, older, from, middle, isWholeTree, proof);
      proof.add(root(leaves, middle, to));
    } else {
      connect(leaves, older - half, middle, to, false, proof);
      proof.add(root(leaves, from, middle));
    }
  }

  public record Head(long size, Hash root) {}

  /// Whether the proof shows that the newer tree begins with the leaves of the older one (RFC 9162,
  /// 2.1.4.2).
  public static boolean isConsistent(Head older, Head newer, List<Hash> proof) {
    if (older.size() < 0 || older.size() > newer.size()) {
      return false;
    }
    if (older.size() == newer.size()) {
      return proof.isEmpty() && older.root().equals(newer.root());
    }
    if (older.size() == 0) {
      return proof.isEmpty() && older.root().equals(EMPTY);
    }
    List<Hash> path = new ArrayList<>(proof);
    if (Long.bitCount(older.size()) == 1) {
      path.addFirst(older.root());
    }
    return !path.isEmpty() && connects(older, newer, path);
  }

  private static boolean connects(Head older, Head newer, List<Hash> path) {
    long node = older.size() - 1;
    long last = newer.size() - 1;
    while ((node & 1) == 1) {
      node >>= 1;
      last >>= 1;
    }
    Hash oldRoot = path.getFirst();
    Hash newRoot = path.getFirst();
    for (Hash step : path.subList(1, path.size())) {
      if (last == 0) {
        return false;
      }
      if ((node & 1) == 1 || node == last) {
        oldRoot = node(step, oldRoot);
        newRoot = node(step, newRoot);
        while ((node & 1) == 0 && node != 0) {
          node >>= 1;
          last >>= 1;
        }
      } else {
        newRoot = node(newRoot, step);
      }
      node >>= 1;
      last >>= 1;
    }
    return last == 0 && oldRoot.equals(older.root()) && newRoot.equals(newer.root());
  }
}
