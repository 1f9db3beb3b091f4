package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.EntryBundle;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.verify.VerifyRequest.Progress;
import java.util.List;
import java.util.Optional;

/// Reads the checkpoint, the entries and the hash tiles of one log.
///
/// @param folder path of the log, with a slash at its end
record LogReader(VerifyRequest.Files files, String folder, VerifierKey key) {
  /// Leaves of the largest tree that verifiers read.
  private static final long MAX_SIZE = 50_000_000;

  interface EntryReader {
    void read(byte[] entry);
  }

  Checkpoint.Signed checkpoint() {
    return verified(files.need(folder + "checkpoint"), key, folder + "checkpoint");
  }

  static Checkpoint.Signed verified(byte[] note, VerifierKey log, String path) {
    Checkpoint.Signed signed =
        Checkpoint.parse(note).orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_NOTE, path));
    unless(
        signed.checkpoint().origin().equals(log.name()) && signed.note().isSignedBy(log),
        VerdictCode.BAD_SIGNATURE,
        path);
    return signed;
  }

  void entries(long size, Progress progress, Progress.Part part, EntryReader reader) {
    unless(size <= MAX_SIZE, VerdictCode.MALFORMED_LOG, folder);
    long done = 0;
    for (Tile tile : TilePaths.entries(size)) {
      for (byte[] entry : entries(tile)) {
        reader.read(entry);
      }
      done += tile.width();
      progress.at(part, done, size);
    }
  }

  private List<byte[]> entries(Tile tile) {
    String path = folder + tile.path();
    return EntryBundle.parse(files.need(path), tile.width())
        .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_LOG, path));
  }

  /// One entry of a tree of this size, not authenticated.
  byte[] entry(long index, long size) {
    long tile = index / TilePaths.WIDTH;
    int width = (int) Math.min(TilePaths.WIDTH, size - tile * TilePaths.WIDTH);
    return entries(new Tile(-1, tile, width)).get((int) (index % TilePaths.WIDTH));
  }

  TileTree tiles(long size) {
    return new TileTree(size, tile -> Optional.of(hashes(tile)));
  }

  private byte[] hashes(Tile tile) {
    String path = folder + tile.path();
    byte[] content = files.need(path);
    unless(content.length == tile.width() * Hash.LENGTH, VerdictCode.MALFORMED_LOG, path);
    return content;
  }
}
