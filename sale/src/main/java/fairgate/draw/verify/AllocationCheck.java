package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.Allotment;
import fairgate.draw.leaf.Allotment.Status;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.leaf.HouseLeaf.Pass;
import fairgate.draw.leaf.HouseLeaf.Report;
import fairgate.draw.leaf.HouseLeaf.Result;
import fairgate.draw.lots.DrawOrder;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.verify.HouseLog.Placed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Checks that the units went to the entries in order, and that all units are accounted for.
final class AllocationCheck {
  private final DrawContext context;
  private final HouseLog log;
  private final EntryList list;
  private final DrawOrder order;
  private final Map<Long, Pass> passes = new HashMap<>();

  AllocationCheck(DrawContext context, HouseLog log, EntryList list, DrawOrder order) {
    this.context = context;
    this.log = log;
    this.list = list;
    this.order = order;
  }

  void check() {
    Placed<Result> result = log.all(Result.class).getFirst();
    Optional<Placed<Report>> report =
        log.only(Report.class, result.index(), VerdictCode.SECOND_REPORT);
    if (report.isEmpty()) {
      return;
    }
    List<Allotment> allotments = allotments(report.get().leaf());
    unless(
        report.get().leaf().result().equals(result.leaf().hash()),
        VerdictCode.WRONG_REPORT,
        "result");
    ranks(allotments);
    for (Placed<Pass> each : log.all(Pass.class)) {
      unless(
          passes.putIfAbsent(each.leaf().rank(), each.leaf()) == null,
          VerdictCode.SKIPPED_RANK,
          "pass " + each.leaf().rank());
    }
    treatment(allotments);
    unless(passes.isEmpty(), VerdictCode.SKIPPED_RANK, "pass " + passes.keySet());
    account(report.get().leaf().report(), allotments);
    context.out().stage(Verdict.Stage.ENDED);
  }

  private List<Allotment> allotments(Report report) {
    List<Allotment> allotments =
        Allotment.parse(context.need("allotments"))
            .orElseThrow(() -> new FailedCheck(VerdictCode.MALFORMED_ALLOTMENTS, "allotments"));
    MerkleBuilder tree = new MerkleBuilder();
    allotments.forEach(each -> tree.add(Merkle.leafHash(StrictText.bytes(each.line()))));
    unless(tree.head().equals(report.allotments()), VerdictCode.WRONG_REPORT, "allotments");
    return allotments;
  }

  private void ranks(List<Allotment> allotments) {
    for (int i = 0; i < allotments.size(); i++) {
      boolean isNext = allotments.get(i).rank() == i && i < order.size();
      unless(isNext, VerdictCode.SKIPPED_RANK, "rank " + i);
    }
  }

  private void treatment(List<Allotment> allotments) {
    long offered = 0;
    for (Allotment each : allotments) {
      treatment(each, offered);
      offered += each.units();
    }
  }

  private void treatment(Allotment each, long offeredBefore) {
    int index = order.indexAt((int) each.rank());
    String rank = "rank " + each.rank();
    Optional<Absence> absence = list.absence(index);
    boolean isListed =
        switch (each.status()) {
          case WITHDRAWN -> isAbsent(absence, Absence.Kind.WITHDRAWN);
          case EXCLUDED -> isAbsent(absence, Absence.Kind.EXCLUDED);
          case OFFERED, UNFIT -> true;
        };
    unless(isListed, VerdictCode.HIDDEN_EXCLUSION, rank);
    boolean takesPart = each.status() == Status.OFFERED || each.status() == Status.UNFIT;
    unless(absence.isEmpty() || !takesPart, VerdictCode.EXCLUDED_OFFERED, rank);
    long wanted = list.entry(index).qty();
    unless(
        each.units() == (each.status() == Status.OFFERED ? wanted : 0),
        VerdictCode.WRONG_REPORT,
        rank);
    if (each.passed() > 0) {
      Pass pass = passes.remove(each.rank());
      boolean isLogged =
          pass != null
              && pass.units() == each.passed()
              && pass.entry().equals(list.leaves().get(index));
      unless(isLogged, VerdictCode.SKIPPED_RANK, rank);
    }
    DrawRules rules = context.rules();
    boolean isFair =
        each.status() != Status.UNFIT
            || (rules.skipsUnfit() && offeredBefore + wanted > rules.units());
    unless(isFair, VerdictCode.SKIPPED_RANK, rank);
  }

  private static boolean isAbsent(Optional<Absence> absence, Absence.Kind kind) {
    return absence.filter(it -> it.kind() == kind).isPresent();
  }

  private void account(AllocationReport report, List<Allotment> allotments) {
    DrawRules rules = context.rules();
    unless(
        report.stock() == rules.stock() && report.holdbacks() == rules.holdbacks(),
        VerdictCode.STOCK_SHORT,
        "stock");
    long bought = allotments.stream().mapToLong(Allotment::bought).sum();
    unless(bought <= rules.units(), VerdictCode.OVERSOLD, bought);
    AllocationReport expected = AllocationReport.of(rules.stock(), rules.holdbacks(), allotments);
    unless(report.equals(expected) && report.addsUp(), VerdictCode.STOCK_SHORT, expected);
    boolean isEnd =
        report.unsold() == 0
            || allotments.size() == order.size()
            || isStopped(allotments.size(), report.unsold())
            || isOver();
    unless(isEnd, VerdictCode.STOCK_SHORT, "rank " + allotments.size());
    context
        .out()
        .found(
            report.unsold() > 0 && allotments.size() == order.size() ? "everybody" : "allocation",
            report.issued(),
            report.passed(),
            report.unsold(),
            report.holdbacks(),
            report.stock());
  }

  /// Whether the next entry wants more units than are left, and the rules say to stop there.
  private boolean isStopped(int reached, long unsold) {
    for (int rank = reached; rank < order.size(); rank++) {
      int index = order.indexAt(rank);
      if (list.absence(index).isEmpty()) {
        return !context.rules().skipsUnfit() && list.entry(index).qty() > unsold;
      }
    }
    return false;
  }

  private boolean isOver() {
    OptionalLong until = context.rules().allocateUntil();
    return until.isPresent() && log.head().isCosigned(at -> at >= until.getAsLong());
  }
}
