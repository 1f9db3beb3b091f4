package fairgate.draw.tlog;

import fairgate.draw.tlog.TilePaths.Tile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Reads hashes and proofs of a tree from its tiles. A tile that is missing or of the wrong length
/// makes the result empty. Hashes are not authenticated before a proof leads to a known root.
public final class TileTree {
  private static final int TILE_HEIGHT = 8;

  private final long size;
  private final Function<Tile, Optional<byte[]>> tiles;
  private final Map<Tile, Optional<HashList>> read = new HashMap<>();

  /// @param tiles the content of a tile; empty if it is missing
  public TileTree(long size, Function<Tile, Optional<byte[]>> tiles) {
    this.size = size;
    this.tiles = tiles;
  }

  /// The content of a tile of hashes of a tree with these leaves.
  public static byte[] content(HashList leaves, Tile tile) {
    int span = Math.toIntExact(1L << (TILE_HEIGHT * tile.level()));
    HashList hashes = new HashList();
    for (int i = 0; i < tile.width(); i++) {
      int from = Math.toIntExact((tile.index() * TilePaths.WIDTH + i) * span);
      hashes.add(Merkle.root(leaves, from, from + span));
    }
    return hashes.bytes(0, tile.width());
  }

  public Optional<Hash> leaf(long index) {
    return root(index, index + 1);
  }

  public Optional<List<Hash>> inclusionProof(long index) {
    List<Hash> proof = new ArrayList<>();
    long from = 0;
    long to = size;
    while (to - from > 1) {
      long middle = from + Merkle.split(to - from);
      Optional<Hash> sibling = index < middle ? root(middle, to) : root(from, middle);
      if (sibling.isEmpty()) {
        return Optional.empty();
      }
      proof.addFirst(sibling.get());
      if (index < middle) {
        to = middle;
      } else {
        from = middle;
      }
    }
    return Optional.of(List.copyOf(proof));
  }

  /// The proof that the tree begins with the first `older` leaves, of which there is at least one
  /// and at most [#size].
  public Optional<List<Hash>> consistencyProof(long older) {
    List<Hash> proof = new ArrayList<>();
    boolean isComplete = older == size || connect(older, 0, size, true, proof);
    return isComplete ? Optional.of(List.copyOf(proof)) : Optional.empty();
  }

  private boolean connect(long older, long from, long to, boolean isWholeTree, List<Hash> proof) {
    if (older == to - from) {
      return isWholeTree || add(root(from, to), proof);
    }
    long half = Merkle.split(to - from);
    long middle = from + half;
    return older <= half
        ? connect(older, from, middle, isWholeTree, proof) && add(root(middle, to), proof)
        : connect(older - half, middle, to, false, proof) && add(root(from, middle), proof);
  }

  private static boolean add(Optional<Hash> hash, List<Hash> proof) {
    hash.ifPresent(proof::add);
    return hash.isPresent();
  }

  public Optional<Hash> prefixRoot(long leaves) {
    return leaves == 0 ? Optional.of(Merkle.EMPTY) : root(0, leaves);
  }

  private Optional<Hash> root(long from, long to) {
    long count = to - from;
    if (Long.bitCount(count) == 1) {
      int height = Long.numberOfTrailingZeros(count);
      int level = height / TILE_HEIGHT;
      long span = 1L << (TILE_HEIGHT * level);
      if (count == span) {
        return stored(level, from / span);
      }
    }
    long middle = from + Merkle.split(count);
    Optional<Hash> left = root(from, middle);
    Optional<Hash> right = left.isEmpty() ? left : root(middle, to);
    return right.isEmpty() ? right : Optional.of(Merkle.node(left.orElseThrow(), right.get()));
  }

  private Optional<Hash> stored(int level, long index) {
    long count = size >> (TILE_HEIGHT * level);
    long number = index / TilePaths.WIDTH;
    long width = Math.min(TilePaths.WIDTH, count - number * TilePaths.WIDTH);
    if (width <= index % TilePaths.WIDTH) {
      return Optional.empty();
    }
    return read.computeIfAbsent(new Tile(level, number, (int) width), this::hashes)
        .map(hashes -> hashes.get((int) (index % TilePaths.WIDTH)));
  }

  private Optional<HashList> hashes(Tile tile) {
    return tiles
        .apply(tile)
        .filter(bytes -> bytes.length == tile.width() * Hash.LENGTH)
        .map(
            bytes -> {
              HashList hashes = new HashList();
              for (int i = 0; i < tile.width(); i++) {
                hashes.add(Hash.at(bytes, i * Hash.LENGTH));
              }
              return hashes;
            });
  }
}
