package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I14;
import static fairgate.prove.check.Invariant.I3;
import static fairgate.prove.check.Invariant.I38;
import static fairgate.prove.check.Invariant.I5;
import static fairgate.prove.check.Invariant.I6;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.RecordedCall;
import fairgate.prove.environment.RunLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Replies to purchases against the ledger, and against each other.
final class AcceptCheck {
  private static final int CONFLICT = 422;
  private static final int TOO_MANY = 429;

  private final Evidence evidence;
  private final InvariantResults tally;

  AcceptCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, LedgerSnapshot ledger) {
    List<RecordedCall> purchases =
        evidence.journal().of(CallType.PURCHASE).stream()
            .filter(recorded -> recorded.sale().equals(product))
            .toList();
    standsInTheLedger(product, purchases, ledger);
    tokens(purchases, ledger);
    keys(purchases);
  }

  private void standsInTheLedger(
      String product, List<RecordedCall> purchases, LedgerSnapshot ledger) {
    Map<String, LedgerSnapshot.Event> births = births(ledger);
    Set<String> refused =
        evidence.crowdedOut(product, ledger).stream()
            .map(LedgerSnapshot.DeadLetter::order)
            .collect(Collectors.toSet());
    for (RecordedCall recorded : purchases) {
      if (!recorded.ok()) {
        continue;
      }
      survivesTheFailover(recorded, ledger);
      if (evidence.lost(recorded) || refused.contains(recorded.order())) {
        tally.excuse(I3);
        continue;
      }
      LedgerSnapshot.Event birth = births.get(recorded.order());
      LedgerSnapshot.Order order = ledger.orders().get(recorded.order());
      boolean stands =
          birth != null
              && order != null
              && birth.quantity() == recorded.answer().number("quantity")
              && order.amount() == recorded.answer().number("amount")
              && order.session().equals(recorded.session());
      tally.that(
          I3,
          stands,
          "%s was told of %s; the ledger has %s",
          recorded.who(),
          recorded.order(),
          order);
    }
  }

  /// Places and keys may be lost with a primary, but no purchase that was answered before.
  private void survivesTheFailover(RecordedCall recorded, LedgerSnapshot ledger) {
    if (evidence.runLog().failovers().stream().anyMatch(at -> recorded.got() < at)) {
      tally.that(
          I38,
          ledger.orders().containsKey(recorded.order()),
          "%s was told of %s before its primary died; the ledger does not have it",
          recorded.who(),
          recorded.order());
    }
  }

  private static Map<String, LedgerSnapshot.Event> births(LedgerSnapshot ledger) {
    Map<String, LedgerSnapshot.Event> births = new HashMap<>();
    for (LedgerSnapshot.Event event : ledger.events()) {
      if (event.kind().equals("reserved")) {
        births.put(event.order(), event);
      }
    }
    return births;
  }

  private void tokens(List<RecordedCall> purchases, LedgerSnapshot ledger) {
    Map<String, Set<String>> orders = new HashMap<>();
    Map<String, LedgerSnapshot.Event> births = births(ledger);
    Map<String, Long> newest = newestEpochs(purchases);
    for (RecordedCall recorded : purchases) {
      if (recorded.token().isEmpty() || !recorded.ok()) {
        continue;
      }
      Set<String> bought = orders.computeIfAbsent(recorded.token(), _ -> new HashSet<>());
      if (evidence.lost(recorded)) {
        tally.excuse(I5);
        continue;
      }
      bought.add(recorded.order());
      String[] parts = parts(recorded.token());
      LedgerSnapshot.Event birth = births.get(recorded.order());
      // A repeat may have another token than the first purchase: only its owner counts.
      boolean own = parts.length == 8 && parts[3].equals(recorded.session());
      boolean epoch = birth == null || newest.getOrDefault(recorded.key(), 0L) >= birth.epoch();
      tally.that(
          I5,
          bought.size() == 1 && own && epoch,
          "a token of %s (epoch %s) bought %s, born in epoch %s",
          parts[3],
          parts[7],
          bought,
          birth == null ? "?" : birth.epoch());
    }
  }

  /// The newest epoch of the tokens that were shown with a key, whatever the answer was.
  private static Map<String, Long> newestEpochs(List<RecordedCall> purchases) {
    Map<String, Long> newest = new HashMap<>();
    for (RecordedCall recorded : purchases) {
      String[] parts = parts(recorded.token());
      if (parts.length == 8) {
        newest.merge(recorded.key(), Long.parseLong(parts[7]), Math::max);
      }
    }
    return newest;
  }

  /// The fields of a token's payload.
  static String[] parts(String token) {
    String payload = token.substring(0, Math.max(0, token.indexOf('.')));
    return new String(Base64.getUrlDecoder().decode(payload), StandardCharsets.UTF_8)
        .split("\\|", -1);
  }

  private void keys(List<RecordedCall> purchases) {
    Map<String, List<RecordedCall>> byKey = new HashMap<>();
    for (RecordedCall recorded : purchases) {
      byKey.computeIfAbsent(recorded.key(), _ -> new ArrayList<>()).add(recorded);
    }
    for (List<RecordedCall> calls : byKey.values()) {
      calls.stream()
          .filter(RecordedCall::ok)
          .min(Comparator.comparingLong(RecordedCall::got))
          .ifPresent(first -> same(first, calls));
    }
  }

  private void same(RecordedCall first, List<RecordedCall> calls) {
    for (RecordedCall call : calls) {
      int status = call.answer().status();
      boolean unanswered = call.answer().unknown() || status >= 500 || status == TOO_MANY;
      if (call.equals(first) || unanswered) {
        continue;
      }
      if (evidence.hasDataLossBetween(first, call)) {
        tally.excuse(I6);
        continue;
      }
      boolean sameRequest =
          call.quantity() == first.quantity() && call.session().equals(first.session());
      if (!sameRequest) {
        tally.that(
            I6,
            status == CONFLICT || call.got() < first.got(),
            "key %s for another request: %s",
            call.key(),
            call.answer());
      } else if (call.ok() || call.sent() > first.got()) {
        tally.that(
            I6,
            call.answer().body().equals(first.answer().body()),
            "key %s was answered %s, then %s",
            call.key(),
            first.answer(),
            call.answer());
      }
    }
  }

  private static boolean during(RunLog.Outage outage, RecordedCall recorded) {
    return recorded.sent() > outage.from()
        && recorded.got() < outage.to()
        && outage.sales().test(recorded.sale());
  }

  /// No purchase succeeds while Redis is certainly unavailable.
  void outages() {
    List<RunLog.Outage> outages = evidence.runLog().outages();
    evidence.journal().stream()
        .filter(recorded -> recorded.act() == CallType.PURCHASE || recorded.act() == CallType.JOIN)
        .filter(recorded -> outages.stream().anyMatch(outage -> during(outage, recorded)))
        .forEach(
            recorded ->
                tally.that(
                    I14,
                    !recorded.ok(),
                    "%s of %s was granted while Redis was away: %s",
                    recorded.act(),
                    recorded.who(),
                    recorded.answer()));
  }
}
