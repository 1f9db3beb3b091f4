package fairgate.draw.verify;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.EntryBundle;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.tlog.TilePaths.Tile;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.TlogProof;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// A log in memory, signed with a test key.
final class TestLog {
  private final SignerKey key;
  private final UnaryOperator<byte[]> tamper;
  private final List<byte[]> entries = new ArrayList<>();
  private final HashList leaves = new HashList();

  /// @param tamper gets each entry and returns the one that is logged
  TestLog(SignerKey key, UnaryOperator<byte[]> tamper) {
    this.key = key;
    this.tamper = tamper;
  }

  /// Appends an entry and returns its index.
  @CanIgnoreReturnValue
  int add(byte[] entry) {
    byte[] logged = tamper.apply(entry);
    entries.add(logged);
    leaves.add(Merkle.leafHash(logged));
    return entries.size() - 1;
  }

  int size() {
    return entries.size();
  }

  byte[] entry(int index) {
    return entries.get(index);
  }

  HashList leaves() {
    return leaves;
  }

  Hash leaf(int index) {
    return leaves.get(index);
  }

  Merkle.Head head(int size) {
    return new Merkle.Head(size, Merkle.root(leaves, 0, size));
  }

  /// The signed checkpoint of a size, cosigned by these witnesses at this time.
  String checkpoint(int size, List<SignerKey> witnesses, long time) {
    return checkpoint(head(size), witnesses, time);
  }

  /// A signed checkpoint of any head, cosigned by these witnesses at this time.
  String checkpoint(Merkle.Head head, List<SignerKey> witnesses, long time) {
    Checkpoint checkpoint = new Checkpoint(key.verifier().name(), head);
    StringBuilder note = new StringBuilder(checkpoint.signed(key));
    witnesses.forEach(witness -> note.append(witness.cosign(checkpoint.text(), time)));
    return note.toString();
  }

  byte[] proof(int index, int size, byte[] extra, String checkpoint) {
    return StrictText.bytes(
        new TlogProof(extra, index, Merkle.inclusionProof(leaves, index, size), checkpoint).text());
  }

  /// Adds all files of the log.
  void write(Map<String, byte[]> files, String folder, String checkpoint) {
    files.put(folder + "checkpoint", StrictText.bytes(checkpoint));
    for (Tile tile : TilePaths.hashes(size())) {
      files.put(folder + tile.path(), TileTree.content(leaves, tile));
    }
    for (Tile tile : TilePaths.entries(size())) {
      int from = Math.toIntExact(tile.index() * TilePaths.WIDTH);
      files.put(
          folder + tile.path(), EntryBundle.write(entries.subList(from, from + tile.width())));
    }
  }
}
