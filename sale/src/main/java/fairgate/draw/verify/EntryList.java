package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.leaf.HouseLeaf.Exclude;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.leaf.HouseLeaf.TreeHead;
import fairgate.draw.leaf.HouseLeaf.Withdraw;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.verify.HouseLog.Placed;
import fairgate.draw.verify.VerifyRequest.Progress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// The sealed entries, and which of them take no part.
final class EntryList {
  private final HashList leaves = new HashList();
  private final List<EntryLeaf> entries = new ArrayList<>();
  private final Map<Long, Absence> absences = new HashMap<>();

  private EntryList() {}

  /// Reads the entries tree and compares it with the seal and with the heads before the seal.
  static EntryList read(DrawContext context, HouseLog log, Placed<Seal> seal) {
    BundleHead head = context.head();
    LogReader reader = new LogReader(context.files(), head.path("log/"), head.entriesKey());
    Merkle.Head sealed = seal.leaf().head();
    Merkle.Head present = reader.checkpoint().checkpoint().head();
    unless(present.size() <= sealed.size(), VerdictCode.ENTRY_AFTER_SEAL, present.size());
    unless(present.equals(sealed), VerdictCode.FORKED_LIST, "log/checkpoint");
    EntryList list = new EntryList();
    List<TreeHead> heads =
        log.all(TreeHead.class).stream()
            .filter(placed -> placed.index() < seal.index())
            .map(Placed::leaf)
            .toList();
    Roots roots = new Roots(heads);
    List<VerdictCode> wrong = new ArrayList<>();
    reader.entries(
        sealed.size(),
        context.request().progress(),
        Progress.Part.ENTRIES,
        entry -> {
          list.add(entry, context.rules(), wrong);
          roots.add(list.leaves.get(list.leaves.size() - 1));
        });
    unless(roots.tree.head().equals(sealed), VerdictCode.FORKED_LIST, "log/tile/entries");
    roots.check(heads, sealed.size());
    unless(
        wrong.isEmpty(), wrong.isEmpty() ? VerdictCode.OK : wrong.getFirst(), "log/tile/entries");
    context.out().found("list", sealed.size(), (long) heads.size());
    return list;
  }

  private void add(byte[] data, DrawRules rules, List<VerdictCode> wrong) {
    leaves.add(Merkle.leafHash(data));
    Optional<EntryLeaf> entry = EntryLeaf.parse(data);
    if (entry.isEmpty()) {
      wrong.add(VerdictCode.MALFORMED_LEAF);
      return;
    }
    EntryLeaf leaf = entry.get();
    entries.add(leaf);
    boolean isValid =
        leaf.draw().equals(rules.draw())
            && leaf.qty() <= rules.qtyMax()
            && leaf.tier() < rules.tiers();
    if (!isValid) {
      wrong.add(VerdictCode.INVALID_ENTRY);
    }
  }

  /// The roots of the list at the sizes of the published heads.
  private static final class Roots {
    private final MerkleBuilder tree = new MerkleBuilder();
    private final Map<Long, Hash> roots = new HashMap<>();
    private final Set<Long> sizes = new HashSet<>();

    Roots(List<TreeHead> heads) {
      heads.forEach(head -> sizes.add(head.head().size()));
      roots.put(0L, Merkle.EMPTY);
    }

    void add(Hash leaf) {
      tree.add(leaf);
      if (sizes.contains(tree.size())) {
        roots.put(tree.size(), tree.root());
      }
    }

    void check(List<TreeHead> heads, long sealedSize) {
      long before = 0;
      for (TreeHead each : heads) {
        long size = each.head().size();
        boolean isPrefix =
            size <= sealedSize && Objects.equals(each.head().root(), roots.get(size));
        unless(isPrefix && size >= before, VerdictCode.FORKED_LIST, "head " + size);
        before = size;
      }
    }
  }

  void exclude(DrawContext context, HouseLog log, Placed<Seal> seal) {
    List<Placed<Exclude>> excluded = log.all(Exclude.class);
    List<Placed<Withdraw>> withdrawn = log.all(Withdraw.class);
    Absence.all(log).forEach(it -> mark(it.entry(), it.absence()));
    excluded.forEach(placed -> unlessLate(placed, seal));
    withdrawn.forEach(placed -> unlessLate(placed, seal));
    Merkle.Head root =
        excluded.stream()
            .map(placed -> placed.leaf().hash())
            .collect(MerkleBuilder::new, MerkleBuilder::add, (_, _) -> {})
            .head();
    unless(root.equals(seal.leaf().excluded()), VerdictCode.HIDDEN_EXCLUSION, "excluded");
    onePersonOneEntry();
    context.out().found("exclusions", (long) excluded.size(), (long) withdrawn.size());
  }

  private void mark(EntryRef entry, Absence absence) {
    boolean exists =
        entry.index() < leaves.size() && leaves.get((int) entry.index()).equals(entry.leaf());
    unless(
        exists && absences.putIfAbsent(entry.index(), absence) == null,
        VerdictCode.INVALID_EXCLUSION,
        entry);
  }

  private static void unlessLate(Placed<? extends HouseLeaf> placed, Placed<Seal> seal) {
    unless(placed.index() < seal.index(), VerdictCode.LATE_EXCLUSION, placed.index());
  }

  private void onePersonOneEntry() {
    Set<EntryLeaf.Uniq> tags = new HashSet<>();
    for (int i = 0; i < entries.size(); i++) {
      Optional<EntryLeaf.Uniq> tag = entries.get(i).uniq();
      if (tag.isPresent() && !absences.containsKey((long) i)) {
        unless(tags.add(tag.get()), VerdictCode.DUPLICATE_PERSON, "entry " + i);
      }
    }
  }

  HashList leaves() {
    return leaves;
  }

  EntryLeaf entry(int index) {
    return entries.get(index);
  }

  Optional<Absence> absence(int index) {
    return Optional.ofNullable(absences.get((long) index));
  }
}
