package fairgate.draw.tlog;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.DrawVectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class MerkleTest {
  private static HashList leaves(int size) {
    HashList leaves = new HashList();
    for (int i = 0; i < size; i++) {
      leaves.add(Merkle.leafHash(StrictText.bytes("leaf " + i)));
    }
    return leaves;
  }

  @Test
  void theRootAndTheProofsAreThoseOfTheVectors() {
    DrawVectors vectors = new DrawVectors();
    HashList leaves = vectors.leaves();
    assertThat(Merkle.leafHash(StrictText.bytes(vectors.text("entry_0")))).isEqualTo(leaves.get(0));
    assertThat(Merkle.root(leaves)).isEqualTo(vectors.hash("entries_root"));
    assertThat(Merkle.inclusionProof(leaves, 5, 8)).isEqualTo(vectors.hashes("proof_of_entry_5"));
  }

  @Test
  void theEmptyTreeHasTheHashOfNothing() {
    assertThat(Merkle.root(new HashList()).hex())
        .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  }

  @Property(tries = 300)
  void aProofHoldsForItsLeafAndForNoOther(
      @ForAll @IntRange(min = 1, max = 600) int size, @ForAll @IntRange(max = 1000) int pick) {
    HashList leaves = leaves(size);
    int index = pick % size;
    Hash root = Merkle.root(leaves);
    List<Hash> proof = Merkle.inclusionProof(leaves, index, size);
    Hash leaf = leaves.get(index);
    assertThat(Merkle.isIncluded(index, size, leaf, proof, root)).isTrue();
    int other = (index + 1) % size;
    assertThat(Merkle.isIncluded(other, size, leaf, proof, root)).isEqualTo(size == 1);
    assertThat(Merkle.isIncluded(index, size, Merkle.EMPTY, proof, root)).isFalse();
    List<Hash> longer = new ArrayList<>(proof);
    longer.add(root);
    assertThat(Merkle.isIncluded(index, size, leaf, longer, root)).isFalse();
    if (size > 1) {
      List<Hash> shorter = proof.subList(1, proof.size());
      assertThat(Merkle.isIncluded(index, size, leaf, shorter, root)).isFalse();
    }
  }

  @Property(tries = 300)
  void aConsistencyProofHoldsForPrefixesOnly(
      @ForAll @IntRange(max = 600) int one, @ForAll @IntRange(min = 1, max = 600) int two) {
    int older = Math.min(one, two);
    int newer = Math.max(one, two);
    HashList leaves = leaves(newer);
    Merkle.Head old = new Merkle.Head(older, Merkle.root(leaves, 0, older));
    Merkle.Head now = new Merkle.Head(newer, Merkle.root(leaves));
    List<Hash> proof = Merkle.consistencyProof(leaves, older, newer);
    assertThat(Merkle.isConsistent(old, now, proof)).isTrue();
    Merkle.Head forked = new Merkle.Head(older, Merkle.leafHash(StrictText.bytes("another list")));
    assertThat(Merkle.isConsistent(forked, now, proof)).isFalse();
    assertThat(Merkle.isConsistent(now, old, proof)).isEqualTo(older == newer);
  }

  @Property(tries = 100)
  void aTreeThatGrowsHasTheRootOfEachSize(@ForAll @IntRange(max = 600) int size) {
    HashList leaves = leaves(size);
    MerkleBuilder tree = new MerkleBuilder();
    for (int i = 0; i < size; i++) {
      tree.add(leaves.get(i));
    }
    assertThat(tree.head()).isEqualTo(new Merkle.Head(size, Merkle.root(leaves)));
  }

  @Test
  void anInnerNodeIsNoLeaf() {
    HashList leaves = leaves(2);
    byte[] node = new byte[64];
    leaves.get(0).copyTo(node, 0);
    leaves.get(1).copyTo(node, 32);
    assertThat(Merkle.leafHash(node)).isNotEqualTo(Merkle.root(leaves));
  }

  @Test
  void aTreeOf70000HasTheTilesOfTheSpecification() {
    List<TilePaths.Tile> tiles = TilePaths.hashes(70_000);
    assertThat(tiles).filteredOn(tile -> tile.level() == 0 && tile.width() == 256).hasSize(273);
    assertThat(tiles.stream().map(TilePaths.Tile::path))
        .contains("tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1")
        .hasSize(277);
    assertThat(new TilePaths.Tile(0, 1_234_067, 256).path()).isEqualTo("tile/0/x001/x234/067");
    assertThat(TilePaths.hashes(256).stream().map(TilePaths.Tile::path))
        .containsExactly("tile/0/000", "tile/1/000.p/1");
  }

  @Test
  void onlyCanonicalPathsAreTiles() {
    assertThat(TilePaths.parse("tile/0/x001/x234/067.p/5"))
        .contains(new TilePaths.Tile(0, 1_234_067, 5));
    assertThat(TilePaths.parse("tile/entries/000")).contains(new TilePaths.Tile(-1, 0, 256));
    for (String wrong :
        List.of(
            "tile/0/67",
            "tile/0/000.p/256",
            "tile/0/000.p/0",
            "tile/00/000",
            "tile/0/x000/001",
            "tile/-1/000",
            "tile/64/000",
            "tile/0/../000",
            "tile/0",
            "tile/0/000/",
            "")) {
      assertThat(TilePaths.parse(wrong)).as(wrong).isEmpty();
    }
  }

  @Property(tries = 25)
  void tilesGiveTheSameProofsAsTheLeaves(
      @ForAll @IntRange(min = 1, max = 70_000) int size, @ForAll @IntRange(max = 70_000) int pick) {
    HashList leaves = leaves(size);
    TileTree tiles = new TileTree(size, tile -> Optional.of(TileTree.content(leaves, tile)));
    int index = pick % size;
    assertThat(tiles.leaf(index)).contains(leaves.get(index));
    assertThat(tiles.inclusionProof(index)).contains(Merkle.inclusionProof(leaves, index, size));
    assertThat(tiles.prefixRoot(index)).contains(Merkle.root(leaves, 0, index));
    assertThat(tiles.consistencyProof(index + 1L))
        .contains(Merkle.consistencyProof(leaves, index + 1, size));
  }

  @Test
  void aMissingOrShortTileGivesNoProof() {
    HashList leaves = leaves(300);
    TileTree missing = new TileTree(300, _ -> Optional.empty());
    assertThat(missing.inclusionProof(3)).isEmpty();
    TileTree cut = new TileTree(300, _ -> Optional.of(leaves.bytes(0, 7)));
    assertThat(cut.inclusionProof(3)).isEmpty();
    assertThat(cut.consistencyProof(3)).isEmpty();
  }

  @Property(tries = 200)
  void entriesAreReadFromTheirBundle(
      @ForAll List<byte[]> entries, @ForAll @IntRange(max = 3) int cut) {
    byte[] bundle = EntryBundle.write(entries);
    assertThat(EntryBundle.parse(bundle, entries.size()).orElseThrow())
        .containsExactlyElementsOf(entries);
    assertThat(EntryBundle.parse(bundle, entries.size() + 1)).isEmpty();
    byte[] longer = java.util.Arrays.copyOf(bundle, bundle.length + cut + 1);
    assertThat(EntryBundle.parse(longer, entries.size())).isEmpty();
  }
}
