package fairgate.draw;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.draw.lots.FairnessTests;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.verify.BundleHead;
import fairgate.draw.verify.TarFiles;
import fairgate.draw.witness.Witnesses;
import fairgate.platform.postgres.PostgresDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// The public files of draws (docs/api/draw-format.md, "Bundle"). Calls block.
public final class DrawRecords {
  private static final long MAX_TESTS = 1_000;

  /// The file with the result leaves, which may be large.
  static final String RESULT = "result";

  /// The files of a draw besides its log and the result, by name. A file is empty until the draw
  /// has come so far.
  private static final List<Named> FILES =
      List.of(
          new Named("rules.json", draw -> text(draw.rules().json())),
          new Named("chain.json", draw -> text(draw.chains().first())),
          new Named("second-chain.json", draw -> text(draw.chains().second())),
          new Named("rules.tlog-proof", draw -> text(draw.rulesProof())),
          // Without its proof, the seal says nothing.
          new Named("seal", draw -> draw.leaves().seal().filter(_ -> isSealed(draw))),
          new Named("seal.tlog-proof", draw -> text(draw.sealProof())),
          new Named("beacon", draw -> draw.leaves().beacon()),
          new Named("allotments", draw -> draw.leaves().report().map(_ -> bytes(draw))));

  private final DrawKeys keys;
  private final PublishedLogs logs;
  private final PostgresResults results;
  private final PostgresOrder order;
  private final Function<String, Optional<Draw>> stored;
  private final Cache<String, Optional<FairnessTests>> fairness =
      Caffeine.newBuilder().maximumSize(MAX_TESTS).build();

  private final SharedCalls<Optional<FairnessTests>> tests = new SharedCalls<>();

  private record Named(String name, Function<Draw, Optional<byte[]>> content) {}

  DrawRecords(
      PostgresDatabase database, DrawKeys keys, DrawFeature.Stores stores, Witnesses witnesses) {
    this.keys = keys;
    this.results = stores.results();
    this.stored = stores.draws()::find;
    this.logs = new PublishedLogs(stores.logs(), witnesses, keys.houseOrigin());
    this.order = new PostgresOrder(database);
  }

  private static Optional<byte[]> text(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(StrictText.bytes(text));
  }

  private static boolean isSealed(Draw draw) {
    return !draw.sealProof().isEmpty();
  }

  private static byte[] bytes(Draw draw) {
    return StrictText.bytes(draw.allotments());
  }

  /// The key of the house log, which buyers can compare with other publications of it.
  public String logKey() {
    return keys.signer(keys.houseOrigin()).verifier().text();
  }

  /// The draw as it is in PostgreSQL, where it may be a second newer than in memory.
  Draw fresh(Draw draw) {
    return stored.apply(draw.id()).orElse(draw);
  }

  /// A file of a draw, other than the result; empty if it does not exist, or not yet. Whoever has
  /// read of it in the log finds it.
  Optional<byte[]> file(Draw draw, String name) {
    if (name.equals(BundleHead.FILE)) {
      return text(head(draw).text());
    }
    Optional<byte[]> known = known(draw, name);
    return known.isPresent() || draw.state().isOver() ? known : known(fresh(draw), name);
  }

  private static Optional<byte[]> known(Draw draw, String name) {
    return FILES.stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .flatMap(each -> each.content().apply(draw));
  }

  private BundleHead head(Draw draw) {
    return new BundleHead(draw.id(), keys.signer(keys.houseOrigin()).verifier());
  }

  static boolean hasResult(Draw draw) {
    return draw.leaves().result().isPresent();
  }

  /// A file of the house log.
  ///
  /// @param path such as `checkpoint` or `tile/0/000`
  Optional<byte[]> houseLog(String path) {
    return log(keys.houseOrigin(), path);
  }

  Optional<byte[]> entriesLog(Draw draw, String path) {
    return log(keys.entriesOrigin(draw.id()), path);
  }

  private Optional<byte[]> log(String origin, String path) {
    if (path.equals("checkpoint")) {
      return logs.checkpoint(origin).map(StrictText::bytes);
    }
    return TilePaths.parse(path).flatMap(tile -> logs.tile(origin, tile));
  }

  /// Writes the result leaves in their order.
  void writeResult(Draw draw, OutputStream out) throws IOException {
    int part = 0;
    byte[] leaves = results.part(draw.id(), part);
    while (leaves.length > 0) {
      out.write(leaves);
      part++;
      leaves = results.part(draw.id(), part);
    }
  }

  /// Writes the bundle of a draw. Its checkpoints are read first: what is added meanwhile is not
  /// part of its logs, and it has all files of which its logs tell.
  void writeBundle(Draw known, OutputStream out) throws IOException {
    Optional<String> house = logs.checkpoint(keys.houseOrigin());
    Optional<String> entries = logs.checkpoint(keys.entriesOrigin(known.id()));
    Draw draw = fresh(known);
    out.write(TarFiles.entry(BundleHead.FILE, StrictText.bytes(head(draw).text())));
    String folder = "draws/" + draw.id() + "/";
    for (Named file : FILES) {
      Optional<byte[]> content = file.content().apply(draw);
      if (content.isPresent()) {
        out.write(TarFiles.entry(folder + file.name(), content.get()));
      }
    }
    writeLog(keys.houseOrigin(), house, "log/", out);
    writeLog(keys.entriesOrigin(draw.id()), entries, folder + "log/", out);
    if (hasResult(draw)) {
      long length = order.length(draw.id());
      out.write(TarFiles.header(folder + RESULT, length));
      writeResult(draw, out);
      out.write(TarFiles.padding(length));
    }
    out.write(TarFiles.end());
  }

  private void writeLog(String origin, Optional<String> checkpoint, String folder, OutputStream out)
      throws IOException {
    if (checkpoint.isEmpty()) {
      return;
    }
    long size = PublishedLogs.sizeOf(checkpoint.get());
    out.write(TarFiles.entry(folder + "checkpoint", StrictText.bytes(checkpoint.get())));
    List<Tile> tiles =
        Stream.of(TilePaths.hashes(size), TilePaths.entries(size)).flatMap(List::stream).toList();
    for (Tile tile : tiles) {
      byte[] content =
          logs.tile(origin, tile)
              .orElseThrow(
                  () -> new IOException("a tile is lost; log=" + origin + " tile=" + tile.path()));
      out.write(TarFiles.entry(folder + tile.path(), content));
    }
  }

  /// A number of entries or units.
  ///
  /// @param kind `excluded`, `withdrawn` or `passed`
  /// @param reason a word in lower case
  public record Count(String kind, String reason, long count) {}

  /// The number of entries in the latest checkpoint. Blocks.
  public long entries(Draw draw) {
    return logs.size(keys.entriesOrigin(draw.id()));
  }

  /// The numbers of excluded and withdrawn entries, by reason. Blocks.
  public List<Count> absences(Draw draw) {
    return order.absences(draw.id());
  }

  /// The numbers of units that were offered and passed on, by reason. Blocks.
  public List<Count> passes(Draw draw) {
    return order.passes(draw.id());
  }

  /// The distribution tests of a draw with a result; empty below 100 entries. They never change, so
  /// the latest draws' are kept. Blocks.
  public Optional<FairnessTests> fairness(Draw draw) {
    if (!hasResult(draw)) {
      return Optional.empty();
    }
    Optional<FairnessTests> known = fairness.getIfPresent(draw.id());
    return known != null ? known : tests.get(draw.id(), () -> test(draw.id()));
  }

  private Optional<FairnessTests> test(String draw) {
    Optional<FairnessTests> computed = FairnessTests.of(order.ranks(draw));
    fairness.put(draw, computed);
    return computed;
  }

  /// The logs as C2SP tlog-tiles, from memory where possible: a tile of a certain width never
  /// changes, and checkpoints may be a second old. Tiles beyond the checkpoint are not looked up,
  /// so strangers cannot make PostgreSQL search for them.
  static final class PublishedLogs {
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
        Caffeine.newBuilder()
            .maximumSize(MAX_CHECKPOINTS)
            .expireAfterWrite(CHECKPOINT_LIFE)
            .build();

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

    long size(String origin) {
      return checkpoint(origin).map(PublishedLogs::sizeOf).orElse(0L);
    }

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
}
