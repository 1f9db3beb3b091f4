package fairgate.draw.verify;

import static fairgate.draw.verify.FailedCheck.unless;

import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.Abort;
import fairgate.draw.leaf.HouseLeaf.Beacon;
import fairgate.draw.leaf.HouseLeaf.Seal;
import fairgate.draw.lots.DrawOrder;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.Hash;
import fairgate.draw.verify.HouseLog.Placed;
import fairgate.draw.verify.ReceiptCheck.Found;
import fairgate.draw.verify.Verdict.Mine;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Verifies a draw from its public files. The checks and their order are in
/// docs/api/draw-format.md; the first one that fails decides.
public final class DrawVerifier {
  private DrawVerifier() {}

  /// Verifies a draw. Malformed input gives a verdict, never an exception.
  public static Verdict verify(VerifyRequest request) {
    Verdict.Builder out = new Verdict.Builder();
    try {
      DrawContext context = DrawContext.of(request, out);
      if (request.isLight() && request.receipts().stream().noneMatch(ReceiptCheck::isPromise)) {
        light(context);
      } else {
        everything(context);
      }
      return out.build(VerdictCode.OK, "");
    } catch (FailedCheck failed) {
      return out.build(failed.code(), failed.detail());
    } catch (UncheckedIOException unreadable) {
      return out.build(VerdictCode.UNREACHABLE, String.valueOf(unreadable.getCause()));
    }
  }

  public static Verdict unreadable(VerdictCode code, String detail) {
    return new Verdict.Builder().build(code, detail);
  }

  private static void everything(DrawContext context) {
    HouseLog log = HouseLog.read(context);
    context.out().found("log", log.size());
    SealCheck seals = new SealCheck(context);
    Placed<HouseLeaf.Rules> rules = seals.rulesLeaf(log);
    seals.rulesProof(Optional.of(log));
    Optional<Placed<Seal>> seal = seals.sealLeaf(log, rules.index());
    if (seal.isPresent()) {
      seals.sealed(seal.get().leaf(), Optional.of(log));
      sealed(context, log, seal.get());
    } else {
      ReceiptCheck.unsealed(context, Absence.all(log));
    }
    stillToCome(context, log);
  }

  /// Until the beacon decides, a draw may be before its round, shortly after it, or aborted.
  private static void stillToCome(DrawContext context, HouseLog log) {
    if (log.all(Abort.class).stream().anyMatch(each -> each.leaf().round().isEmpty())) {
      unless(log.all(Beacon.class).isEmpty(), VerdictCode.LATE_ABORT, "");
      context.out().stage(Verdict.Stage.ABORTED);
    } else if (log.all(Beacon.class).isEmpty()
        && context.request().isOverdue(context.roundTime())) {
      throw VerifyRequest.withheld(context.roundTime());
    }
  }

  private static void sealed(DrawContext context, HouseLog log, Placed<Seal> seal) {
    EntryList list = EntryList.read(context, log, seal);
    ReceiptCheck receipts = new ReceiptCheck(context, seal.leaf());
    List<Found> found = new ArrayList<>();
    context.request().receipts().forEach(each -> found.add(receipts.inList(each, list)));
    list.exclude(context, log, seal);
    ResultCheck results = new ResultCheck(context);
    Optional<Placed<Beacon>> beacon = results.beaconLeaf(log, seal);
    if (beacon.isEmpty()) {
      found.forEach(
          each -> context.out().mine(mine(each, list, Optional.empty(), Optional.empty())));
      return;
    }
    Hash seed =
        results.beacon(
            seal.leaf(),
            beacon.get().leaf(),
            Optional.of(ResultCheck.abortedRounds(log, beacon.get())));
    DrawOrder order = results.order(log, seal, beacon.get(), list, seed);
    int[] ranks = found.isEmpty() ? new int[0] : order.ranks();
    for (Found each : found) {
      long rank = ranks[(int) each.index()];
      context.out().mine(mine(each, list, Optional.of(seed), Optional.of(rank)));
    }
    new AllocationCheck(context, log, list, order).check();
  }

  private static void light(DrawContext context) {
    SealCheck seals = new SealCheck(context);
    seals.rulesProof(Optional.empty());
    if (context.files().read(context.head().path("seal")).isEmpty()) {
      ReceiptCheck.unsealed(context, List.of());
      withoutBeacon(context, seals);
      return;
    }
    Seal seal = seals.sealFile();
    seals.sealed(seal, Optional.empty());
    LogReader reader =
        new LogReader(context.files(), context.head().path("log/"), context.head().entriesKey());
    ReceiptCheck receipts = new ReceiptCheck(context, seal);
    List<Found> found = new ArrayList<>();
    context.request().receipts().forEach(each -> found.add(receipts.inTiles(each, reader)));
    ResultCheck results = new ResultCheck(context);
    Optional<Hash> seed =
        results.beaconFile().map(beacon -> results.beacon(seal, beacon, Optional.empty()));
    found.forEach(each -> context.out().mine(mine(each, seed, Optional.empty(), Optional.empty())));
    context.out().found("light");
    if (seed.isEmpty()) {
      withoutBeacon(context, seals);
    }
  }

  /// Only the log tells whether a draw without a beacon was aborted. It is not read before the
  /// round is overdue.
  private static void withoutBeacon(DrawContext context, SealCheck seals) {
    if (context.request().isOverdue(context.roundTime())) {
      HouseLog log = HouseLog.read(context);
      Placed<HouseLeaf.Rules> _ = seals.rulesLeaf(log);
      unless(log.all(Beacon.class).isEmpty(), VerdictCode.MISSING_FILE, "beacon");
      stillToCome(context, log);
    }
  }

  private static Mine mine(Found found, EntryList list, Optional<Hash> seed, Optional<Long> rank) {
    return mine(found, seed, rank, list.absence((int) found.index()));
  }

  private static Mine mine(
      Found found, Optional<Hash> seed, Optional<Long> rank, Optional<Absence> absence) {
    return new Mine(
        found.index(),
        found.leaf(),
        seed.map(key -> new Lots(key).lot(found.leaf())),
        rank,
        absence);
  }
}
