package fairgate.prove.check;

import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.RecordedCall;
import fairgate.prove.environment.RunLog;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The input of the checks.
///
/// @param products the checked sales
public record Evidence(List<String> products, Journal journal, Gateway gateway, RunLog runLog) {

  /// The orders of a sale that a relay held while Redis lost them. They reach the ledger after the
  /// sale was rebuilt without them, so their units and their buyers' limits may be used up by then.
  Set<String> late(String product, LedgerSnapshot ledger) {
    Set<String> late = new HashSet<>();
    for (RunLog.Loss loss : runLog.losses(product)) {
      for (LedgerSnapshot.Event event : ledger.events()) {
        boolean beforeTheLoss = event.epoch() <= loss.epochs().getOrDefault(product, 1L);
        if (event.kind().equals("reserved")
            && beforeTheLoss
            && !loss.known().contains(event.order())) {
          late.add(event.order());
        }
      }
    }
    return late;
  }

  /// The entries that the ledger refuses because late orders hold their units or sessions.
  Set<LedgerSnapshot.DeadLetter> crowdedOut(String product, LedgerSnapshot ledger) {
    return late(product, ledger).isEmpty()
        ? Set.of()
        : ledger.letters().stream()
            .filter(LedgerSnapshot.DeadLetter::isCrowdedOut)
            .collect(Collectors.toUnmodifiableSet());
  }

  /// Whether Redis lost the effect of this call before the ledger had it.
  boolean lost(RecordedCall call) {
    return runLog.losses(call.sale()).stream()
        .anyMatch(loss -> within(loss, call.got()) && !loss.known().contains(call.order()));
  }

  /// Whether the sale's Redis lost any data after this call: data that is neither stock nor an
  /// order (places, keys, tokens) may then be lost.
  boolean forgotten(RecordedCall call) {
    return placesLost(call).anyMatch(loss -> within(loss, call.got()));
  }

  private Stream<RunLog.Loss> placesLost(RecordedCall call) {
    return runLog.losses().stream().filter(loss -> loss.places().test(call.sale()));
  }

  private static boolean within(RunLog.Loss loss, long at) {
    return at >= loss.from() && at <= loss.to();
  }

  /// Whether the sale's Redis was robbed before this answer.
  boolean hasDataLossBefore(RecordedCall call) {
    return placesLost(call).anyMatch(loss -> loss.from() <= call.got());
  }

  /// Whether the sale's Redis was robbed between two answers, or at one of them.
  boolean hasDataLossBetween(RecordedCall first, RecordedCall second) {
    long from = Math.min(first.got(), second.got());
    long to = Math.max(first.got(), second.got());
    return placesLost(first).anyMatch(loss -> loss.from() <= to && loss.to() >= from);
  }

  /// Whether the sale's Redis was ever robbed.
  boolean hasDataLoss(String product) {
    return !runLog.losses(product).isEmpty();
  }
}
