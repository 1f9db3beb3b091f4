package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.verify.VerifyRequest.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The leaves of one draw in the complete house log.
final class HouseLog {
  record Placed<T extends HouseLeaf>(long index, T leaf) {}

  private record OtherDraw(long index, String draw, Optional<String> product) {}

  private static final String CHECKPOINT = "log/checkpoint";

  private final CosignedHead head;
  private final HashList hashes = new HashList();
  private final List<Placed<HouseLeaf>> leaves = new ArrayList<>();
  private final List<OtherDraw> others = new ArrayList<>();

  private HouseLog(CosignedHead head) {
    this.head = head;
  }

  static HouseLog read(DrawContext context) {
    CosignedHead head =
        CosignedHead.of(
            context.files().need(CHECKPOINT), CHECKPOINT, CosignedHead.Signers.of(context));
    HouseLog log = new HouseLog(head);
    List<Long> malformed = new ArrayList<>();
    new LogReader(context.files(), "log/", context.head().log())
        .entries(
            head.tree().size(),
            context.request().progress(),
            Progress.Part.LOG,
            entry -> log.add(entry, context.head().draw(), malformed));
    unless(Merkle.root(log.hashes).equals(head.tree().root()), VerdictCode.FORKED_LOG, CHECKPOINT);
    unless(malformed.isEmpty(), VerdictCode.MALFORMED_LEAF, malformed);
    return log;
  }

  private void add(byte[] entry, String draw, List<Long> malformed) {
    long index = hashes.size();
    hashes.add(Merkle.leafHash(entry));
    Optional<HouseLeaf> leaf = HouseLeaf.parse(entry);
    if (leaf.isEmpty()) {
      malformed.add(index);
    } else if (leaf.get().draw().equals(draw)) {
      leaves.add(new Placed<>(index, leaf.get()));
    } else if (leaf.get() instanceof HouseLeaf.Rules(DrawRules rules)) {
      others.add(new OtherDraw(index, rules.draw(), rules.product()));
    }
  }

  /// The draws of the same product that were announced before, in the order of the log.
  List<String> earlierDraws(Placed<HouseLeaf.Rules> announced) {
    Optional<String> product = announced.leaf().rules().product();
    return others.stream()
        .filter(other -> product.isPresent() && other.product().equals(product))
        .filter(other -> other.index() < announced.index())
        .map(OtherDraw::draw)
        .toList();
  }

  long size() {
    return hashes.size();
  }

  CosignedHead head() {
    return head;
  }

  <T extends HouseLeaf> List<Placed<T>> all(Class<T> type) {
    return leaves.stream()
        .filter(placed -> type.isInstance(placed.leaf()))
        .map(placed -> new Placed<>(placed.index(), type.cast(placed.leaf())))
        .toList();
  }

  /// The only leaf of a type, which must be behind another one; empty if there is none.
  ///
  /// @param after index of a leaf
  <T extends HouseLeaf> Optional<Placed<T>> only(Class<T> type, long after, VerdictCode otherwise) {
    List<Placed<T>> all = all(type);
    unless(all.size() <= 1, otherwise, all.stream().map(Placed::index).toList());
    unless(
        all.stream().allMatch(placed -> placed.index() > after),
        otherwise,
        all.stream().map(Placed::index).toList());
    return all.stream().findFirst();
  }

  void unlessForked(CosignedHead earlier) {
    earlier.unlessForked(hashes);
  }
}
