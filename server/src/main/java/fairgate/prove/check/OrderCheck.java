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
  private final Tally tally;

  OrderCheck(Evidence evidence, Tally tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, Books books, Shelf shelf) {
    Map<String, List<Books.Event>> lives = lives(books);
    Set<String> unborn = new HashSet<>();
    for (Books.Order order : books.orders().values()) {
      List<Books.Event> life = lives.getOrDefault(order.id(), List.of());
      boolean born = life.stream().anyMatch(event -> event.kind().equals("reserved"));
      if (!born && evidence.robbed(product)) {
        // Two relays carry the events of a sale: the one with the order's beginning had not come.
        tally.excuse(I9);
        unborn.add(order.id());
        continue;
      }
      life(product, order, life);
      alike(order, shelf);
    }
    for (String id : shelf.orders().keySet()) {
      tally.that(I4, books.orders().containsKey(id), "%s is in Redis and not in the ledger", id);
    }
    tally.that(
        I4, shelf.pending().isEmpty(), "orders of %s still pending: %s", product, shelf.pending());
    totals(product, books);
    numbers(product, books, shelf);
    clock(books, shelf, unborn);
  }

  private static Map<String, List<Books.Event>> lives(Books books) {
    Map<String, List<Books.Event>> lives = new HashMap<>();
    for (Books.Event event : books.events()) {
      if (!event.order().isEmpty()) {
        lives.computeIfAbsent(event.order(), _ -> new ArrayList<>()).add(event);
      }
    }
    return lives;
  }

  private void alike(Books.Order order, Shelf shelf) {
    tally.that(I4, ENDS.contains(order.status()), "%s is %s", order.id(), order.status());
    Map<String, String> there = shelf.orders().get(order.id());
    if (there == null) {
      // One that ended before the ledger had learnt of it may have missed the rebuild.
      boolean rebuilt = shelf.number("epoch") > 1 && !order.live();
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

  /// Every event raises the version by one and is a legal step from the one before. If Redis was
  /// robbed of a step before the ledger had it, a later epoch takes that step or another one in its
  /// place: then two events have one version, and the later epoch's counts.
  private void life(String product, Books.Order order, List<Books.Event> life) {
    Map<Integer, Books.Event> edges = new TreeMap<>();
    for (Books.Event event : life) {
      Books.Event twin = edges.get(event.version());
      boolean forgotten = twin != null && evidence.robbed(product) && twin.epoch() != event.epoch();
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
    for (Books.Event edge : edges.values()) {
      version++;
      legal &= edge.version() == version && isLegal(status, edge);
      boolean held = Books.live(status);
      taken += !held && Books.live(edge.status()) ? 1 : 0;
      given += held && !Books.live(edge.status()) ? 1 : 0;
      status = edge.status();
    }
    boolean whole = given == taken - (Books.live(order.status()) ? 1 : 0);
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

  private static boolean isLegal(String from, Books.Event edge) {
    boolean ofMoney = List.of("refund_due", "refunded").contains(edge.kind());
    if (ofMoney && edge.status().equals(from)) {
      return true;
    }
    String step = from + ">" + edge.kind() + ">" + edge.status();
    return List.of(
            ">reserved>pending",
            ">reserved>paid",
            "pending>confirmed>paid",
            "pending>released>cancelled",
            "pending>released>expired",
            "cancelled>confirmed>paid",
            "expired>confirmed>paid",
            "paid>refunded>refunded")
        .contains(step);
  }

  private void totals(String product, Books books) {
    long held = units(books, "pending");
    long confirmed = units(books, "paid");
    tally.that(
        I11,
        books.totals().held() == held && books.totals().confirmed() == confirmed,
        "totals of %s say %s; its orders %d held, %d confirmed",
        product,
        books.totals(),
        held,
        confirmed);
    Set<Books.Letter> crowdedOut = evidence.crowdedOut(product, books);
    crowdedOut.forEach(_ -> tally.excuse(I11));
    List<Books.Letter> letters =
        books.letters().stream().filter(letter -> !crowdedOut.contains(letter)).toList();
    tally.that(I11, letters.isEmpty(), "dead letters of %s: %s", product, letters);
  }

  static long units(Books books, String status) {
    return books.orders().values().stream()
        .filter(order -> order.status().equals(status))
        .mapToLong(Books.Order::quantity)
        .sum();
  }

  private void numbers(String product, Books books, Shelf shelf) {
    Set<Books.Letter> crowdedOut = evidence.crowdedOut(product, books);
    Map<Long, List<Books.Event>> epochs = new TreeMap<>();
    for (Books.Event event : books.events()) {
      epochs.computeIfAbsent(event.epoch(), _ -> new ArrayList<>()).add(event);
    }
    epochs.forEach(
        (epoch, events) -> {
          long last = events.stream().mapToLong(Books.Event::seq).max().orElse(0);
          long refused = crowdedOut.stream().filter(one -> one.epoch() == epoch).count();
          boolean whole = refused > 0 || (events.size() == last && events.getFirst().seq() == 1);
          boolean now = epoch == shelf.number("epoch");
          if (!now && evidence.robbed(product)) {
            tally.excuse(I12);
            return;
          }
          tally.that(
              I12, whole, "%s, epoch %d: %d events up to %d", product, epoch, events.size(), last);
          tally.that(
              I12,
              !now || refused > 0 || shelf.number("seq") == last,
              "%s: Redis is at %d, the ledger at %d",
              product,
              shelf.number("seq"),
              last);
        });
    tally.that(
        I12,
        books.gaps() == 0 || !crowdedOut.isEmpty(),
        "%d gaps in the outbox of %s",
        books.gaps(),
        product);
  }

  /// Times come from Redis alone, so they never go back and windows have the length they should.
  private void clock(Books books, Shelf shelf, Set<String> unborn) {
    Map<Long, List<Books.Event>> epochs = new HashMap<>();
    books.events().forEach(e -> epochs.computeIfAbsent(e.epoch(), _ -> new ArrayList<>()).add(e));
    for (List<Books.Event> events : epochs.values()) {
      events.sort(Comparator.comparingLong(Books.Event::seq));
      for (int i = 1; i < events.size(); i++) {
        Books.Event before = events.get(i - 1);
        Books.Event after = events.get(i);
        tally.that(I19, after.at() >= before.at(), "%s came before %s", after, before);
      }
    }
    for (Map.Entry<String, Map<String, String>> entry : shelf.orders().entrySet()) {
      Map<String, String> order = entry.getValue();
      if (unborn.contains(entry.getKey())) {
        continue;
      }
      long due = Long.parseLong(order.getOrDefault("pay_by", "0"));
      long made = Long.parseLong(order.getOrDefault("created_at", "0"));
      if (due > 0 && made > 0) {
        tally.that(
            I19,
            due - made == books.rules().payMillis(),
            "%s ms to pay instead of %s",
            due - made,
            books.rules().payMillis());
      }
    }
  }
}
