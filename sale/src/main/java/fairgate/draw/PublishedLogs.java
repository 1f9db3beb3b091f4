package fairgate.draw;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.witness.Witnesses;
import java.time.Duration;
import java.util.Optional;

/// The logs as C2SP tlog-tiles, from memory where possible: a tile of a certain width never
/// changes, and checkpoints may be a second old. Tiles beyond the checkpoint are not looked up, so
/// strangers cannot make PostgreSQL search for them.
final class PublishedLogs {
  private static final long CACHED_BYTES = 32L << 20;
  private static final long MAX_CHECKPOINTS = 1_000;
  private static final Duration CHECKPOINT_LIFE = Duration.ofSeconds(1);
  private static final int TILE_HEIGHT = 8;

  private final DrawLogs logs;
  private final Witnesses witnesses;
  private final String houseOrigin;
  private final Cache<Place, byte[]> tiles =
      Caffeine.newBuilder()
          .maximumWeight(CACHED_BYTES)
          .<Place, byte[]>weigher((_, content) -> content.length)
          .build();
  private final Cache<String, Optional<String>> checkpoints =
      Caffeine.newBuilder().maximumSize(MAX_CHECKPOINTS).expireAfterWrite(CHECKPOINT_LIFE).build();

  /// Not the loader of the cache, which makes callers wait for one failed load after the other.
  private final SharedCalls<Optional<String>> reads = new SharedCalls<>();

  private record Place(String origin, Tile tile) {}

  PublishedLogs(DrawLogs logs, Witnesses witnesses, String houseOrigin) {
    this.logs = logs;
    this.witnesses = witnesses;
    this.houseOrigin = houseOrigin;
  }

  /// The latest checkpoint, that of the house log with its cosignatures; empty if there is none.
  Optional<String> checkpoint(String origin) {
    Optional<String> known = checkpoints.getIfPresent(origin);
    return known != null ? known : reads.get(origin, () -> read(origin));
  }

  private Optional<String> read(String origin) {
    Optional<String> latest =
        origin.equals(houseOrigin) ? witnesses.checkpoint() : logs.checkpoint(origin);
    checkpoints.put(origin, latest);
    return latest;
  }

  /// The number of leaves of the latest checkpoint.
  long size(String origin) {
    return checkpoint(origin).map(PublishedLogs::sizeOf).orElse(0L);
  }

  /// The number of leaves of a checkpoint.
  static long sizeOf(String note) {
    return Checkpoint.parse(StrictText.bytes(note)).orElseThrow().checkpoint().head().size();
  }

  /// The content of a tile; empty if the tree of the latest checkpoint does not have it.
  Optional<byte[]> tile(String origin, Tile tile) {
    Place place = new Place(origin, tile);
    byte[] known = tiles.getIfPresent(place);
    if (known != null) {
      return Optional.of(known);
    }
    int shift = TILE_HEIGHT * Math.max(0, tile.level());
    long hashes = shift < Long.SIZE ? size(origin) >> shift : 0;
    long available = hashes / TilePaths.WIDTH == tile.index() ? hashes % TilePaths.WIDTH : 0;
    if (tile.index() >= hashes / TilePaths.WIDTH && tile.width() > available) {
      return Optional.empty();
    }
    Optional<byte[]> read = logs.tile(origin, tile);
    read.ifPresent(content -> tiles.put(place, content));
    return read;
  }
}
