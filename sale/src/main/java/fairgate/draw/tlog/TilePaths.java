package fairgate.draw.tlog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// The paths of C2SP tlog-tiles, relative to the log: `tile/0/x001/234.p/5`, `tile/entries/000`.
public final class TilePaths {
  public static final int WIDTH = 256;

  private static final int MAX_LEVEL = 7;

  private TilePaths() {}

  /// A tile of hashes or of entries.
  ///
  /// @param level -1 for entries, else the level of the hashes
  /// @param width number of hashes or entries, from 1 to 256
  public record Tile(int level, long index, int width) {
    public String path() {
      String kind = level < 0 ? "entries" : Integer.toString(level);
      String part = width == WIDTH ? "" : ".p/" + width;
      return "tile/" + kind + "/" + digits(index) + part;
    }
  }

  private static String digits(long index) {
    StringBuilder digits = new StringBuilder("%03d".formatted(index % 1000));
    for (long rest = index / 1000; rest > 0; rest /= 1000) {
      digits.insert(0, "x%03d/".formatted(rest % 1000));
    }
    return digits.toString();
  }

  /// Parses a path; empty if it is not the canonical path of a tile.
  public static Optional<Tile> parse(String path) {
    String[] parts = path.split("/", -1);
    if (parts.length < 3 || !parts[0].equals("tile")) {
      return Optional.empty();
    }
    OptionalLong level =
        parts[1].equals("entries") ? OptionalLong.of(-1) : StrictText.number(parts[1]);
    boolean isPartial = parts[parts.length - 2].endsWith(".p");
    OptionalLong width =
        isPartial ? StrictText.number(parts[parts.length - 1]) : OptionalLong.of(WIDTH);
    int end = isPartial ? parts.length - 1 : parts.length;
    StringBuilder digits = new StringBuilder();
    for (int i = 2; i < end; i++) {
      digits.append(parts[i].replace("x", "").replace(".p", ""));
    }
    String plain = digits.toString().replaceFirst("^0+(?=.)", "");
    OptionalLong index = StrictText.number(plain);
    if (level.isEmpty() || width.isEmpty() || index.isEmpty()) {
      return Optional.empty();
    }
    if (level.getAsLong() > 63 || width.getAsLong() < 1 || width.getAsLong() > WIDTH) {
      return Optional.empty();
    }
    Tile tile = new Tile((int) level.getAsLong(), index.getAsLong(), (int) width.getAsLong());
    return tile.path().equals(path) ? Optional.of(tile) : Optional.empty();
  }

  public static List<Tile> entries(long size) {
    return level(-1, size);
  }

  public static List<Tile> hashes(long size) {
    List<Tile> tiles = new ArrayList<>();
    long count = size;
    for (int level = 0; level <= MAX_LEVEL && count > 0; level++) {
      tiles.addAll(level(level, count));
      count /= WIDTH;
    }
    return tiles;
  }

  private static List<Tile> level(int level, long count) {
    List<Tile> tiles = new ArrayList<>();
    for (long index = 0; index * WIDTH < count; index++) {
      tiles.add(new Tile(level, index, (int) Math.min(WIDTH, count - index * WIDTH)));
    }
    return tiles;
  }
}
