package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I1;
import static fairgate.prove.check.Invariant.I13;
import static fairgate.prove.check.Invariant.I16;
import static fairgate.prove.check.Invariant.I2;
import static fairgate.prove.check.Invariant.I7;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Units and limits.
final class StockCheck {
  private final Evidence evidence;
  private final Tally tally;

  StockCheck(Evidence evidence, Tally tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, Books books, Shelf shelf) {
    long live = OrderCheck.units(books, "pending") + OrderCheck.units(books, "paid");
    long released =
        books.batches().stream()
            .filter(b -> b.release() > 0)
            .mapToLong(Books.Batch::quantity)
            .sum();
    long inRedis = shelf.number("held") + shelf.number("confirmed");
    tally.that(
        I1,
        shelf.stock() + inRedis == shelf.number("released"),
        "%s: %d free, %s",
        product,
        shelf.stock(),
        shelf.sale());
    tally.that(
        I1,
        shelf.stock() == released - live,
        "%s: %d free, and %d released less %d sold",
        product,
        shelf.stock(),
        released,
        live);
    tally.that(I2, live <= released, "%s: %d sold of %d", product, live, released);
    tally.that(I2, inRedis <= released, "%s: %d sold of %d in Redis", product, inRedis, released);
    tally.that(
        I2,
        books.totals().released() == released,
        "%s: the totals say %s, its batches %d",
        product,
        books.totals(),
        released);
    rebuilt(product, shelf, released, live);
    batches(product, books, shelf);
    limits(product, books, shelf);
  }

  private void rebuilt(String product, Shelf shelf, long released, long live) {
    if (shelf.number("epoch") > 1) {
      tally.that(
          I13,
          shelf.stock() <= released - live && shelf.number("released") == released,
          "%s was rebuilt with %d free of %d, %d of them sold",
          product,
          shelf.stock(),
          released,
          live);
    }
  }

  private void batches(String product, Books books, Shelf shelf) {
    Map<Integer, String> numbers = new HashMap<>();
    for (Books.Batch batch : books.batches()) {
      if (batch.release() == 0) {
        continue;
      }
      String twin = numbers.put(batch.release(), batch.key());
      tally.that(
          I16,
          twin == null && batch.release() <= books.batches().size(),
          "%s: batches %s and %s are both number %d",
          product,
          twin,
          batch.key(),
          batch.release());
      tally.that(
          I16,
          batch.due() == 0 || batch.releasedAt() >= batch.due(),
          "%s: batch %s went out %d ms early",
          product,
          batch.key(),
          batch.due() - batch.releasedAt());
    }
    sums(product, books, shelf, numbers.size());
  }

  private void sums(String product, Books books, Shelf shelf, int released) {
    tally.that(
        I16,
        shelf.number("batch") == released && shelf.number("released") == books.totals().released(),
        "%s: Redis has %s batches of %s units; %d of %d were released",
        product,
        shelf.sale().get("batch"),
        shelf.sale().get("released"),
        released,
        books.totals().released());
    long planned = books.batches().stream().mapToLong(Books.Batch::quantity).sum();
    tally.that(
        I16,
        planned == books.totals().planned(),
        "%s: %d planned, batches of %d",
        product,
        books.totals().planned(),
        planned);
  }

  /// Along the events, in their order: what each buyer held after every single one.
  private void limits(String product, Books books, Shelf shelf) {
    Set<String> exempt = ownersOf(evidence.late(product, books), books);
    Map<String, Long> users = new HashMap<>();
    Map<String, Long> devices = new HashMap<>();
    Map<String, String> live = new HashMap<>();
    for (Books.Event event : books.events()) {
      Books.Order order = books.orders().get(event.order());
      if (order == null || event.kind().equals("refund_due")) {
        continue;
      }
      boolean had = holds(live.put(order.id(), event.status()));
      long quantity = order.quantity();
      long change = (holds(event.status()) ? quantity : 0) - (had ? quantity : 0);
      if (change != 0) {
        long user = users.merge(order.user(), change, Long::sum);
        long device = devices.merge(order.device(), change, Long::sum);
        within(order.user(), user, books.rules().maxUser(), exempt);
        within(order.device(), device, books.rules().maxDevice(), exempt);
      }
    }
    counters(users, "user:", shelf);
    counters(devices, "fp:", shelf);
  }

  /// The users and devices of these orders.
  private static Set<String> ownersOf(Set<String> orders, Books books) {
    return books.orders().values().stream()
        .filter(order -> orders.contains(order.id()))
        .flatMap(order -> Stream.of(order.user(), order.device()))
        .collect(Collectors.toSet());
  }

  private static boolean holds(@Nullable String status) {
    return status != null && List.of("pending", "paid").contains(status);
  }

  private void within(String who, long units, int most, Set<String> exempt) {
    if (most > 0 && units > most && exempt.contains(who)) {
      tally.excuse(I7);
    } else if (most > 0) {
      tally.that(I7, units <= most, "%s held %d of at most %d", who, units, most);
    }
  }

  private void counters(Map<String, Long> units, String kind, Shelf shelf) {
    units.forEach(
        (who, has) -> {
          long counted = shelf.bought().getOrDefault(kind + who, 0L);
          tally.that(I7, counted == has, "Redis counts %d of %s, who has %d", counted, who, has);
        });
  }
}
