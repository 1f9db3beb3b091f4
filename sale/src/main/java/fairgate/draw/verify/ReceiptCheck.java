package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignedNote;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TileTree;
import fairgate.draw.tlog.TlogProof;
import fairgate.draw.tlog.VerifierKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Checks that the entry of a receipt is in the sealed list. Before the seal it can check only the
/// signature of the receipt.
record ReceiptCheck(DrawContext context, Seal seal) {
  private static final String PROMISE = "fairgate-promise/1";

  record Found(long index, Hash leaf) {}

  /// Whether a receipt is a promise, which can be found only in the whole list.
  static boolean isPromise(byte[] receipt) {
    return StrictText.utf8(receipt).filter(text -> text.startsWith(PROMISE + "\n")).isPresent();
  }

  /// Checks the receipts of a draw that is not sealed. Without a list it can check only their
  /// signatures, and whether the log withdraws or excludes their entries.
  ///
  /// @param absences those of the log; empty if it was not read
  static void unsealed(DrawContext context, List<Absence.Of> absences) {
    List<byte[]> receipts = context.request().receipts();
    for (byte[] receipt : receipts) {
      Predicate<EntryRef> isMine = entryOf(context, receipt);
      absences.stream()
          .filter(it -> isMine.test(it.entry()))
          .findFirst()
          .ifPresent(it -> context.out().mine(absent(it)));
    }
    if (!receipts.isEmpty()) {
      context.out().found("unsealed", Instant.ofEpochSecond(context.rules().sealBy()));
    }
  }

  private static Predicate<EntryRef> entryOf(DrawContext context, byte[] receipt) {
    if (isPromise(receipt)) {
      Hash leaf = promised(context, receipt);
      return entry -> entry.leaf().equals(leaf);
    }
    TlogProof proof = parse(receipt);
    Merkle.Head then = signedHead(context, proof);
    return entry ->
        entry.index() == proof.index()
            && Merkle.isIncluded(
                entry.index(), then.size(), entry.leaf(), proof.hashes(), then.root());
  }

  private static Verdict.Mine absent(Absence.Of of) {
    return new Verdict.Mine(
        of.entry().index(),
        of.entry().leaf(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(of.absence()));
  }

  Found inList(byte[] receipt, EntryList list) {
    HashList leaves = list.leaves();
    if (isPromise(receipt)) {
      Hash leaf = promised(context, receipt);
      OptionalInt index = indexOf(leaf, leaves);
      unless(index.isPresent(), VerdictCode.DROPPED_ENTRY, leaf.base64());
      return new Found(index.getAsInt(), leaf);
    }
    TlogProof proof = parse(receipt);
    Merkle.Head then = head(proof);
    Hash leaf = leaves.get((int) proof.index());
    include(proof, then, leaf, Merkle.root(leaves, 0, (int) then.size()).equals(then.root()));
    person(proof, () -> list.entry((int) proof.index()));
    return new Found(proof.index(), leaf);
  }

  Found inTiles(byte[] receipt, LogReader reader) {
    TlogProof proof = parse(receipt);
    Merkle.Head then = head(proof);
    Merkle.Head now = seal.head();
    TileTree tiles = reader.tiles(now.size());
    Optional<Hash> leaf = tiles.leaf(proof.index());
    Optional<List<Hash>> path = tiles.inclusionProof(proof.index());
    boolean isSealed =
        leaf.isPresent()
            && path.isPresent()
            && Merkle.isIncluded(proof.index(), now.size(), leaf.get(), path.get(), now.root());
    unless(isSealed, VerdictCode.FORKED_LIST, "log/tile");
    boolean isPrefix =
        tiles
            .consistencyProof(then.size())
            .filter(it -> Merkle.isConsistent(then, now, it))
            .isPresent();
    include(proof, then, leaf.orElseThrow(), isPrefix);
    person(proof, () -> entry(reader, proof.index(), leaf.get()));
    return new Found(proof.index(), leaf.get());
  }

  private EntryLeaf entry(LogReader reader, long index, Hash leaf) {
    byte[] data = reader.entry(index, seal.head().size());
    unless(Merkle.leafHash(data).equals(leaf), VerdictCode.FORKED_LIST, "log/tile/entries");
    return EntryLeaf.parse(data)
        .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_LEAF, "entry " + index));
  }

  /// A receipt that is damaged, or not signed by this draw's key, proves nothing: it accuses
  /// nobody.
  private static FailedCheck unusable(String detail) {
    return new FailedCheck(VerdictCode.UNUSABLE_RECEIPT, detail);
  }

  private static TlogProof parse(byte[] receipt) {
    return TlogProof.parse(receipt)
        .filter(_ -> receipt.length <= VerifyRequest.MAX_RECEIPT)
        .orElseThrow(() -> unusable("receipt"));
  }

  /// The tree head of the receipt, which is at most as large as the sealed tree.
  private Merkle.Head head(TlogProof proof) {
    Merkle.Head then = signedHead(context, proof);
    unless(
        then.size() <= seal.head().size(), VerdictCode.DROPPED_ENTRY, "receipt " + proof.index());
    return then;
  }

  private static Merkle.Head signedHead(DrawContext context, TlogProof proof) {
    VerifierKey key = context.head().entriesKey();
    Checkpoint.Signed signed = proof.signedCheckpoint().orElseThrow(() -> unusable("checkpoint"));
    String origin = signed.checkpoint().origin();
    unless(origin.equals(key.name()), VerdictCode.RECEIPT_OF_ANOTHER_DRAW, not(origin, key));
    unless(signed.note().isSignedBy(key), VerdictCode.UNUSABLE_RECEIPT, "signature");
    Merkle.Head head = signed.checkpoint().head();
    unless(proof.index() < head.size(), VerdictCode.UNUSABLE_RECEIPT, "index");
    return head;
  }

  /// The detail of [VerdictCode#RECEIPT_OF_ANOTHER_DRAW].
  private static String not(String origin, VerifierKey key) {
    return origin + ", not " + key.name();
  }

  /// A path that does not lead to the receipt's root proves nothing while the sealed list has that
  /// root: the receipt is damaged.
  ///
  /// @param isPrefix whether the first sealed entries have the receipt's root
  private static void include(TlogProof proof, Merkle.Head then, Hash leaf, boolean isPrefix) {
    unless(
        Merkle.isIncluded(proof.index(), then.size(), leaf, proof.hashes(), then.root()),
        isPrefix ? VerdictCode.UNUSABLE_RECEIPT : VerdictCode.DROPPED_ENTRY,
        "receipt " + proof.index());
    unless(isPrefix, VerdictCode.FORKED_LIST, "receipt " + proof.index());
  }

  private void person(TlogProof proof, Supplier<EntryLeaf> entry) {
    Optional<String> person = context.request().person();
    if (person.isPresent()) {
      Hash who = EntryLeaf.who(proof.extra(), StrictText.bytes(person.get()));
      unless(entry.get().who().equals(who), VerdictCode.NOT_MINE, "receipt " + proof.index());
    }
  }

  /// The leaf of a promise that is signed by this draw's key. A promise has no origin line; the
  /// name of its key is the origin.
  private static Hash promised(DrawContext context, byte[] receipt) {
    VerifierKey key = context.head().entriesKey();
    SignedNote note = SignedNote.parse(receipt).orElseThrow(() -> unusable("note"));
    List<String> names = note.keyNames();
    unless(
        names.contains(key.name()),
        VerdictCode.RECEIPT_OF_ANOTHER_DRAW,
        not(names.getFirst(), key));
    List<String> lines = StrictText.lines(note.text()).orElse(List.of());
    unless(lines.size() == 4, VerdictCode.UNUSABLE_RECEIPT, "promise");
    Optional<Hash> leaf = Hash.ofBase64(value(lines.get(2), "leaf "));
    boolean isWellFormed =
        lines.get(1).equals("draw " + context.head().draw())
            && StrictText.number(value(lines.get(3), "by ")).isPresent();
    unless(isWellFormed && leaf.isPresent(), VerdictCode.UNUSABLE_RECEIPT, "promise");
    unless(note.isSignedBy(key), VerdictCode.UNUSABLE_RECEIPT, "signature");
    return leaf.get();
  }

  private static String value(String line, String name) {
    return line.startsWith(name) ? line.substring(name.length()) : "";
  }

  private static OptionalInt indexOf(Hash leaf, HashList leaves) {
    for (int i = 0; i < leaves.size(); i++) {
      if (leaves.get(i).equals(leaf)) {
        return OptionalInt.of(i);
      }
    }
    return OptionalInt.empty();
  }
}
