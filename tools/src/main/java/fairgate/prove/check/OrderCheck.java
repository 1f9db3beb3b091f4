package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I11;
import static fairgate.prove.check.Invariant.I12;
import static fairgate.prove.check.Invariant.I19;
import static fairgate.prove.check.Invariant.I4;
import static fairgate.prove.check.Invariant.I8;
import static fairgate.prove.check.Invariant.I9;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// The life of every order, by the events in the ledger, against its row and against Redis.
final class OrderCheck {
  private static final List<String> ENDS = List.of("paid", "cancelled", "expired", "refunded");

  private final Evidence evidence;
  private final InvariantResults tally;

  OrderCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, LedgerSnapshot ledger, RedisSnapshot redisSnapshot) {
    Map<String, List<LedgerSnapshot.Event>> lives = lives(ledger);
    Set<String> unborn = new HashSet<>();
    for (LedgerSnapshot.Order order : ledger.orders().values()) {
      List<LedgerSnapshot.Event> life = lives.getOrDefault(order.id(), List.of());
      boolean born = life.stream().anyMatch(event -> event.kind().equals("reserved"));
      if (!born && evidence.hasDataLoss(product)) {
        // Two relays deliver the events of a sale: the one with the order's first event had not
        // written it.
        tally.excuse(I9);
        unborn.add(order.id());
        continue;
      }
      life(product, order, life);
      alike(order, redisSnapshot);
    }
    for (String id : redisSnapshot.orders().keySet()) {
      tally.that(I4, ledger.orders().containsKey(id), "%s is in Redis and not in the ledger", id);
    }
    tally.that(
        I4,
        redisSnapshot.pending().isEmpty(),
        "orders of %s still pending: %s",
        product,
        redisSnapshot.pending());
    totals(product, ledger);
    numbers(product, ledger, redisSnapshot);
    clock(ledger, redisSnapshot, unborn);
  }

  private static Map<String, List<LedgerSnapshot.Event>> lives(LedgerSnapshot ledger) {
    Map<String, List<LedgerSnapshot.Event>> lives = new HashMap<>();
    for (LedgerSnapshot.Event event : ledger.events()) {
      if (!event.order().isEmpty()) {
        lives.computeIfAbsent(event.order(), _ -> new ArrayList<>()).add(event);
      }
    }
    return lives;
  }

  private void alike(LedgerSnapshot.Order order, RedisSnapshot redisSnapshot) {
    tally.that(I4, ENDS.contains(order.status()), "%s is %s", order.id(), order.status());
    Map<String, String> there = redisSnapshot.orders().get(order.id());
    if (there == null) {
      // One that ended before the ledger had learnt of it may have missed the rebuild.
      boolean rebuilt = redisSnapshot.number("epoch") > 1 && !order.live();
      tally.that(I4, rebuilt, "%s is in the ledger and not in Redis", order.id());
      return;
    }
    tally.that(
        I4,
        order.status().equals(there.get("status"))
            && Integer.toString(order.version()).equals(there.get("version")),
        "%s is %s/%s in Redis and %s/%s in the ledger",
        order.id(),
        there.get("status"),
        there.get("version"),
        order.status(),
        order.version());
  }

  /// Every event raises the version by one and is a valid transition from the one before. If Redis
  /// lost a transition before the ledger had it, a later epoch repeats it or makes another one: two
  /// events then have one version, and the one of the later epoch counts.
  private void life(String product, LedgerSnapshot.Order order, List<LedgerSnapshot.Event> life) {
    Map<Integer, LedgerSnapshot.Event> edges = new TreeMap<>();
    for (LedgerSnapshot.Event event : life) {
      LedgerSnapshot.Event twin = edges.get(event.version());
      boolean forgotten =
          twin != null && evidence.hasDataLoss(product) && twin.epoch() != event.epoch();
      if (forgotten) {
        tally.excuse(I9);
      } else {
        tally.that(I9, twin == null, "%s: %s and %s", order.id(), twin, event);
      }
      if (twin == null || twin.epoch() < event.epoch()) {
        edges.put(event.version(), event);
      }
    }
    long released =
        edges.values().stream().filter(event -> event.kind().equals("released")).count();
    tally.that(I8, released <= 1, "%s was released %d times", order.id(), released);
    String status = "";
    int version = 0;
    boolean legal = true;
    int taken = 0;
    int given = 0;
    for (LedgerSnapshot.Event edge : edges.values()) {
      version++;
      legal &= edge.version() == version && isLegal(status, edge);
      boolean held = LedgerSnapshot.live(status);
      taken += !held && LedgerSnapshot.live(edge.status()) ? 1 : 0;
      given += held && !LedgerSnapshot.live(edge.status()) ? 1 : 0;
      status = edge.status();
    }
    boolean whole = given == taken - (LedgerSnapshot.live(order.status()) ? 1 : 0);
    tally.that(I8, whole, "%s took its units %d times, gave %d times", order, taken, given);
    tally.that(I9, legal, "%s went through %s", order.id(), edges.values());
    tally.that(
        I11,
        status.equals(order.status()) && version == order.version(),
        "%s is %s/%d and its events say %s/%d",
        order.id(),
        order.status(),
        order.version(),
        status,
        version);
  }

  private static boolean isLegal(String from, LedgerSnapshot.Event edge) {
    boolean ofMoney = List.of("refund_due", "refunded").contains(edge.kind());
    if (ofMoney && edge.status().equals(from)) {
      return true;
    }
    String step = from + ">" + edge.kind() + ">" + edge.status();
    return List.of(
            ">reserved>pending",
            ">reserved>paid",
            "pending>extended>pending",
            "pending>confirmed>paid",
            "pending>released>cancelled",
            "pending>released>expired",
            "cancelled>confirmed>paid",
            "expired>confirmed>paid",
            "paid>refunded>refunded")
        .contains(step);
  }

  private void totals(String product, LedgerSnapshot ledger) {
    long held = units(ledger, "pending");
    long confirmed = units(ledger, "paid");
    tally.that(
        I11,
        ledger.totals().held() == held && ledger.totals().confirmed() == confirmed,
        "totals of %s say %s; its orders %d held, %d confirmed",
        product,
        ledger.totals(),
        held,
        confirmed);
    Set<LedgerSnapshot.DeadLetter> crowdedOut = evidence.crowdedOut(product, ledger);
    crowdedOut.forEach(_ -> tally.excuse(I11));
    List<LedgerSnapshot.DeadLetter> letters =
        ledger.letters().stream().filter(letter -> !crowdedOut.contains(letter)).toList();
    tally.that(I11, letters.isEmpty(), "dead letters of %s: %s", product, letters);
  }

  static long units(LedgerSnapshot ledger, String status) {
    return ledger.orders().values().stream()
        .filter(order -> order.status().equals(status))
        .mapToLong(LedgerSnapshot.Order::quantity)
        .sum();
  }

  private void numbers(String product, LedgerSnapshot ledger, RedisSnapshot redisSnapshot) {
    Set<LedgerSnapshot.DeadLetter> crowdedOut = evidence.crowdedOut(product, ledger);
    Map<Long, List<LedgerSnapshot.Event>> epochs = new TreeMap<>();
    for (LedgerSnapshot.Event event : ledger.events()) {
      epochs.computeIfAbsent(event.epoch(), _ -> new ArrayList<>()).add(event);
    }
    epochs.forEach(
        (epoch, events) -> {
          long last = events.stream().mapToLong(LedgerSnapshot.Event::seq).max().orElse(0);
          long refused = crowdedOut.stream().filter(one -> one.epoch() == epoch).count();
          boolean whole = refused > 0 || (events.size() == last && events.getFirst().seq() == 1);
          boolean now = epoch == redisSnapshot.number("epoch");
          if (!now && evidence.hasDataLoss(product)) {
            tally.excuse(I12);
            return;
          }
          tally.that(
              I12, whole, "%s, epoch %d: %d events up to %d", product, epoch, events.size(), last);
          tally.that(
              I12,
              !now || refused > 0 || redisSnapshot.number("seq") == last,
              "%s: Redis is at %d, the ledger at %d",
              product,
              redisSnapshot.number("seq"),
              last);
        });
    tally.that(
        I12,
        ledger.gaps() == 0 || !crowdedOut.isEmpty(),
        "%d gaps in the outbox of %s",
        ledger.gaps(),
        product);
  }

  /// Times come from Redis alone, so they never go back and windows have the length they should.
  private void clock(LedgerSnapshot ledger, RedisSnapshot redisSnapshot, Set<String> unborn) {
    Map<Long, List<LedgerSnapshot.Event>> epochs = new HashMap<>();
    ledger.events().forEach(e -> epochs.computeIfAbsent(e.epoch(), _ -> new ArrayList<>()).add(e));
    for (List<LedgerSnapshot.Event> events : epochs.values()) {
      events.sort(Comparator.comparingLong(LedgerSnapshot.Event::seq));
      for (int i = 1; i < events.size(); i++) {
        LedgerSnapshot.Event before = events.get(i - 1);
        LedgerSnapshot.Event after = events.get(i);
        tally.that(I19, after.at() >= before.at(), "%s came before %s", after, before);
      }
    }
    for (Map.Entry<String, Map<String, String>> entry : redisSnapshot.orders().entrySet()) {
      Map<String, String> order = entry.getValue();
      if (unborn.contains(entry.getKey())) {
        continue;
      }
      long due = Long.parseLong(order.getOrDefault("pay_by", "0"));
      long made = Long.parseLong(order.getOrDefault("created_at", "0"));
      if (due > 0 && made > 0) {
        tally.that(
            I19,
            due - made == ledger.rules().payMillis(),
            "%s ms to pay instead of %s",
            due - made,
            ledger.rules().payMillis());
      }
    }
  }
}
