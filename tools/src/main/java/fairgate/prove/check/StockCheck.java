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
  private final InvariantResults tally;

  StockCheck(Evidence evidence, InvariantResults tally) {
    this.evidence = evidence;
    this.tally = tally;
  }

  void check(String product, LedgerSnapshot ledger, RedisSnapshot redisSnapshot) {
    long live = OrderCheck.units(ledger, "pending") + OrderCheck.units(ledger, "paid");
    long released =
        ledger.batches().stream()
            .filter(b -> b.release() > 0)
            .mapToLong(LedgerSnapshot.Batch::quantity)
            .sum();
    long inRedis = redisSnapshot.number("held") + redisSnapshot.number("confirmed");
    tally.that(
        I1,
        redisSnapshot.stock() + inRedis == redisSnapshot.number("released"),
        "%s: %d free, %s",
        product,
        redisSnapshot.stock(),
        redisSnapshot.sale());
    tally.that(
        I1,
        redisSnapshot.stock() == released - live,
        "%s: %d free, and %d released less %d sold",
        product,
        redisSnapshot.stock(),
        released,
        live);
    tally.that(I2, live <= released, "%s: %d sold of %d", product, live, released);
    tally.that(I2, inRedis <= released, "%s: %d sold of %d in Redis", product, inRedis, released);
    tally.that(
        I2,
        ledger.totals().released() == released,
        "%s: the totals say %s, its batches %d",
        product,
        ledger.totals(),
        released);
    rebuilt(product, redisSnapshot, released, live);
    batches(product, ledger, redisSnapshot);
    limits(product, ledger, redisSnapshot);
  }

  private void rebuilt(String product, RedisSnapshot redisSnapshot, long released, long live) {
    if (redisSnapshot.number("epoch") > 1) {
      tally.that(
          I13,
          redisSnapshot.stock() <= released - live && redisSnapshot.number("released") == released,
          "%s was rebuilt with %d free of %d, %d of them sold",
          product,
          redisSnapshot.stock(),
          released,
          live);
    }
  }

  private void batches(String product, LedgerSnapshot ledger, RedisSnapshot redisSnapshot) {
    Map<Integer, String> numbers = new HashMap<>();
    for (LedgerSnapshot.Batch batch : ledger.batches()) {
      if (batch.release() == 0) {
        continue;
      }
      String twin = numbers.put(batch.release(), batch.key());
      tally.that(
          I16,
          twin == null && batch.release() <= ledger.batches().size(),
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
    sums(product, ledger, redisSnapshot, numbers.size());
  }

  private void sums(
      String product, LedgerSnapshot ledger, RedisSnapshot redisSnapshot, int released) {
    tally.that(
        I16,
        redisSnapshot.number("batch") == released
            && redisSnapshot.number("released") == ledger.totals().released(),
        "%s: Redis has %s batches of %s units; %d of %d were released",
        product,
        redisSnapshot.sale().get("batch"),
        redisSnapshot.sale().get("released"),
        released,
        ledger.totals().released());
    long planned = ledger.batches().stream().mapToLong(LedgerSnapshot.Batch::quantity).sum();
    tally.that(
        I16,
        planned == ledger.totals().planned(),
        "%s: %d planned, batches of %d",
        product,
        ledger.totals().planned(),
        planned);
  }

  /// Replays the events in their order and checks each buyer's units after every event.
  private void limits(String product, LedgerSnapshot ledger, RedisSnapshot redisSnapshot) {
    Set<String> exempt = ownersOf(evidence.late(product, ledger), ledger);
    Map<String, Long> users = new HashMap<>();
    Map<String, Long> devices = new HashMap<>();
    Map<String, String> live = new HashMap<>();
    for (LedgerSnapshot.Event event : ledger.events()) {
      LedgerSnapshot.Order order = ledger.orders().get(event.order());
      if (order == null || event.kind().equals("refund_due")) {
        continue;
      }
      boolean had = holds(live.put(order.id(), event.status()));
      long quantity = order.quantity();
      long change = (holds(event.status()) ? quantity : 0) - (had ? quantity : 0);
      if (change != 0) {
        long user = users.merge(order.user(), change, Long::sum);
        long device = devices.merge(order.device(), change, Long::sum);
        within(order.user(), user, ledger.rules().maxUser(), exempt);
        within(order.device(), device, ledger.rules().maxDevice(), exempt);
      }
    }
    counters(users, "user:", redisSnapshot);
    counters(devices, "fp:", redisSnapshot);
  }

  /// The users and devices of these orders.
  private static Set<String> ownersOf(Set<String> orders, LedgerSnapshot ledger) {
    return ledger.orders().values().stream()
        .filter(order -> orders.contains(order.id()))
        .flatMap(order -> Stream.of(order.user(), order.device()))
        .collect(Collectors.toSet());
  }

  private static boolean holds(@Nullable String status) {
    return status != null && List.of("pending", "paid").contains(status);
  }

  private void within(String who, long units, int max, Set<String> exempt) {
    if (max > 0 && units > max && exempt.contains(who)) {
      tally.excuse(I7);
    } else if (max > 0) {
      tally.that(I7, units <= max, "%s held %d of at most %d", who, units, max);
    }
  }

  private void counters(Map<String, Long> units, String kind, RedisSnapshot redisSnapshot) {
    units.forEach(
        (who, has) -> {
          long counted = redisSnapshot.bought().getOrDefault(kind + who, 0L);
          tally.that(I7, counted == has, "Redis counts %d of %s, who has %d", counted, who, has);
        });
  }
}
