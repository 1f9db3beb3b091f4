package fairgate.bench.waiters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/// What the browsers on one connection know: the last head and the tiles of their blocks. Computes
/// places as the waiting page does, from these documents only.
final class SharedPlaces {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int BLOCK = 1 << 14;
  private static final long TILE_AGE_MS = 30_000;
  private static final long TILE_RETRY_MS = 5_000;

  private final HttpSource source;
  private final String base;
  private final Map<Integer, Tile> tiles = new HashMap<>();
  private long requests;
  private long cursor;
  private long epoch;
  private double fastest;
  private long[] goneBefore = new long[1];

  /// @param goneUpTo the number of set bits before each ticket of the block
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Tile(int[] goneUpTo, long readAt) {
    static Tile of(byte[] bits, long now) {
      int[] counts = new int[BLOCK + 1];
      for (int i = 0; i < BLOCK; i++) {
        counts[i + 1] = counts[i] + (bits[i / 8] >> i % 8 & 1);
      }
      return new Tile(counts, now);
    }
  }

  SharedPlaces(HttpSource source, String base) {
    this.source = source;
    this.base = base;
  }

  /// Asks for the head again.
  void look() throws IOException {
    JsonNode head = JSON.readTree(source.get(base + "/head"));
    requests++;
    cursor = head.path("cursor").asLong();
    epoch = head.path("epoch").asLong();
    JsonNode gone = head.path("gone");
    goneBefore = new long[gone.size() + 1];
    for (int k = 0; k < gone.size(); k++) {
      goneBefore[k + 1] = goneBefore[k] + gone.get(k).asLong();
    }
    fastest = 0;
    head.path("rate").forEach(rate -> fastest = Math.max(fastest, rate.asDouble()));
  }

  /// The people ahead of a ticket that is not below the cursor.
  long ahead(int ticket, long now) throws IOException {
    int block = ticket / BLOCK;
    Tile tile = tiles.get(block);
    int from = (int) Math.max(0, cursor - (long) block * BLOCK);
    if (tile == null
        || now - tile.readAt() > (fits(tile, block, from) ? TILE_AGE_MS : TILE_RETRY_MS)) {
      tile = Tile.of(source.get(base + "/gone/" + epoch + '/' + block), now);
      requests++;
      tiles.put(block, tile);
    }
    long own = (long) tile.goneUpTo()[ticket % BLOCK] - tile.goneUpTo()[from];
    long whole = goneBefore[block] - goneBefore[(int) Math.min(block, cursor / BLOCK)];
    return ticket - cursor - whole - own;
  }

  /// Bits are only set, so a tile with the count of the head is the one of the head.
  private boolean fits(Tile tile, int block, int from) {
    return tile.goneUpTo()[BLOCK] - tile.goneUpTo()[from]
        == goneBefore[block + 1] - goneBefore[block];
  }

  /// The time until the next look, ms: as the page has it, without the random part.
  long pollAfter(long people) {
    double wanted = fastest > 0 ? people / fastest * 1_000 / 20 : people * 10.0;
    return (long) Math.min(30_000, Math.max(2_000, wanted));
  }

  long cursor() {
    return cursor;
  }

  long requests() {
    return requests;
  }
}
