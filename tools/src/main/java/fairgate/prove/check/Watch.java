package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I1;
import static fairgate.prove.check.Invariant.I15;
import static fairgate.prove.check.Invariant.I2;
import static fairgate.prove.check.Invariant.I45;
import static fairgate.prove.check.Invariant.I5;

import fairgate.crowd.proof.RecordedCall;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Resp;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads the state of Redis many times a second during a proof, each time atomically, and checks
/// what must hold after every script.
public final class Watch implements AutoCloseable {
  private static final long EVERY_MS = 40;
  private static final int SESSIONS_A_LOOK = 8;

  /// How long a session has to be there beyond its sale, at the least.
  private static final long AFTER_THE_SALE_MS = 3_600_000;

  private final Engines engines;
  private final Evidence evidence;
  private final Supplier<List<String>> products;
  private final InvariantResults tally;
  private final Map<String, Arrivals> arrivals = new HashMap<>();
  private final Map<String, TurnCheck> turnChecks = new HashMap<>();
  private final Map<String, WaitingListCheck> lists = new ConcurrentHashMap<>();
  private final Map<String, String> devices = new HashMap<>();
  private final Thread thread;
  private int looked;
  private volatile boolean over;

  /// @param products the sales there are now
  public Watch(
      Engines engines, Evidence evidence, Supplier<List<String>> products, InvariantResults tally) {
    this.engines = engines;
    this.evidence = evidence;
    this.products = products;
    this.tally = tally;
    this.thread = Thread.ofVirtual().name("watch").start(this::run);
  }

  private void run() {
    try (RedisConnections lines = new RedisConnections(engines)) {
      while (!over) {
        for (String product : products.get()) {
          lines.look(product, redis -> look(redis, lines.names(product), product));
        }
        spent(lines);
        rest(EVERY_MS);
      }
    }
  }

  private static void rest(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(Resp redis, Names names, String product) throws IOException {
    List<@Nullable Object> all =
        redis.together(
            List.of(
                new String[] {"GET", names.stock()},
                new String[] {
                  "HMGET",
                  names.sale(),
                  "state",
                  "released",
                  "held",
                  "confirmed",
                  "capacity",
                  "opens_at",
                  "closes_at",
                  "epoch",
                  "seq",
                  "list_units",
                  "list_told_at"
                },
                new String[] {"ZRANGE", names.queue("waiting"), "0", "-1", "WITHSCORES"},
                new String[] {"ZRANGE", names.queue("active"), "0", "-1", "WITHSCORES"},
                new String[] {"TIME"},
                new String[] {"ZRANGE", names.queue("ready"), "0", "-1"}));
    List<String> sale = Resp.texts(all.get(1));
    if (sale.getFirst().isEmpty() || sale.getFirst().equals("rebuilding")) {
      return;
    }
    long free = all.get(0) == null ? 0 : Long.parseLong(String.valueOf(all.get(0)));
    long released = number(sale.get(1));
    long sold = number(sale.get(2)) + number(sale.get(3));
    tally.that(I1, free + sold == released, "%s: %d free, %d sold, %s", product, free, sold, sale);
    tally.that(
        I2, free >= 0 && sold <= released, "%s: %d free, %d sold, %s", product, free, sold, sale);
    List<String> waiting = Resp.texts(all.get(2));
    List<String> active = Resp.texts(all.get(3));
    capacity(product, sale, active);
    List<String> sessions = sessions(waiting, active);
    onePlaceEach(redis, names, product, sessions);
    List<String> time = Resp.texts(all.get(4));
    long now = 1_000 * number(time.getFirst()) + number(time.getLast()) / 1_000;
    sessionsLast(redis, names, sessions, Math.max(number(sale.get(5)), number(sale.get(6))) - now);
    InvariantResults unlessLost = evidence.hasDataLoss(product) ? new InvariantResults() : tally;
    arrivals.computeIfAbsent(product, _ -> new Arrivals()).seen(waiting, active, unlessLost);
    TurnCheck.Look turns =
        new TurnCheck.Look(
            product,
            sale.get(7) + "/" + sale.get(8),
            free,
            sessions(List.of(), active),
            Resp.texts(all.get(5)));
    turnChecks.computeIfAbsent(product, _ -> new TurnCheck()).look(turns, unlessLost);
    lists
        .computeIfAbsent(product, _ -> new WaitingListCheck())
        .look(
            new WaitingListCheck.Look(
                now,
                free + number(sale.get(2)),
                new WaitingListCheck.Notice(number(sale.get(9)), number(sale.get(10))),
                number(sale.get(3)),
                scores(waiting),
                Set.copyOf(sessions(List.of(), active))));
  }

  private static Map<String, Double> scores(List<String> queue) {
    Map<String, Double> scores = new HashMap<>();
    for (int i = 0; i + 1 < queue.size(); i += 2) {
      scores.put(queue.get(i), Double.valueOf(queue.get(i + 1)));
    }
    return scores;
  }

  /// Compares what was seen of the waiting lists with the ledger, once it has all orders.
  public void checkWaitingLists() throws SQLException {
    try (Connection sql = engines.sql()) {
      for (Map.Entry<String, WaitingListCheck> seen : lists.entrySet()) {
        if (evidence.hasDataLoss(seen.getKey())) {
          tally.excuse(I45);
        } else {
          seen.getValue().check(sql, seen.getKey(), tally);
        }
      }
    }
  }

  private void capacity(String product, List<String> sale, List<String> active) {
    if (!sale.get(4).isEmpty()) {
      tally.that(
          I15,
          active.size() / 2 <= number(sale.get(4)),
          "%s: %d active of at most %s",
          product,
          active.size() / 2,
          sale.get(4));
    }
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  private static List<String> sessions(List<String> waiting, List<String> active) {
    List<String> sessions = new ArrayList<>();
    for (int i = 0; i < waiting.size(); i += 2) {
      sessions.add(waiting.get(i));
    }
    for (int i = 0; i < active.size(); i += 2) {
      sessions.add(active.get(i));
    }
    return sessions;
  }

  private void onePlaceEach(Resp redis, Names names, String product, List<String> sessions)
      throws IOException {
    Set<String> seen = new HashSet<>();
    for (String session : sessions) {
      String device = devices.get(session);
      if (device == null) {
        // A session's device never changes, so it can be read later.
        Object found = redis.value("HGET", names.session(session), "device");
        if (found == null) {
          continue;
        }
        device = String.valueOf(found);
        devices.put(session, device);
      }
      tally.that(I15, seen.add(device), "%s: device %s has two places", product, device);
    }
  }

  /// Every place has a session with a TTL that outlives the opening and the end of its sale. One
  /// read covers some of the places, the next read the following ones.
  ///
  /// @param saleMillis from now to the later of the sale's opening and end; negative if it has
  ///   neither ahead
  private void sessionsLast(Resp redis, Names names, List<String> sessions, long saleMillis)
      throws IOException {
    List<String> some = new ArrayList<>();
    for (int i = 0; i < Math.min(SESSIONS_A_LOOK, sessions.size()); i++) {
      some.add(sessions.get(Math.floorMod(looked + i, sessions.size())));
    }
    looked += some.size();
    List<@Nullable Object> lives =
        some.isEmpty()
            ? List.of()
            : redis.together(
                some.stream().map(id -> new String[] {"PTTL", names.session(id)}).toList());
    long least = Math.max(0, saleMillis) + AFTER_THE_SALE_MS;
    for (int i = 0; i < some.size(); i++) {
      long life = number(String.valueOf(lives.get(i)));
      tally.that(
          I15,
          life >= least,
          "session %s of a place lives %d ms (-1: for ever, -2: gone), and needs %d",
          some.get(i),
          life,
          least);
    }
  }

  /// Tokens that bought something are spent, as long as Redis knows them.
  private void spent(RedisConnections lines) {
    for (RecordedCall call = evidence.journal().nextAccept();
        call != null;
        call = evidence.journal().nextAccept()) {
      if (!call.token().isEmpty()) {
        RecordedCall bought = call;
        lines.look(call.sale(), redis -> spent(redis, lines.names(bought.sale()), bought));
      }
    }
  }

  private void spent(Resp redis, Names names, RecordedCall call) throws IOException {
    String key = names.event() + "token:" + AcceptCheck.parts(call.token())[5];
    List<String> found = redis.texts("HMGET", key, "used", "session");
    Object order = redis.value("HGET", names.order(call.order()), "created_at");
    if (!found.getFirst().isEmpty() && order != null && !replayed(call)) {
      tally.that(
          I5, found.getFirst().equals("1"), "%s bought %s and is unspent", key, call.order());
    }
  }

  /// A repeat may have a later token than the first purchase, and does not use it up.
  private boolean replayed(RecordedCall call) {
    return evidence.journal().repeats(call.key()) > 1;
  }

  @Override
  public void close() {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The order in which people came and were let in.
  private static final class Arrivals {
    private final Map<String, Double> came = new HashMap<>();
    private final Set<String> inside = new HashSet<>();
    private double lastCame;
    private double lastEntered;

    void seen(List<String> waiting, List<String> active, InvariantResults tally) {
      for (int i = 0; i < waiting.size(); i += 2) {
        came.put(waiting.get(i), Double.valueOf(waiting.get(i + 1)));
      }
      for (int i = 0; i < active.size(); i += 2) {
        String session = active.get(i);
        Double arrival = came.get(session);
        if (inside.add(session) && arrival != null) {
          double entered = Double.parseDouble(active.get(i + 1));
          // Sorted by entry, so whoever stands behind came later.
          tally.that(
              I15,
              arrival > lastCame || entered < lastEntered,
              "%s came at %.3f and was let in after one of %.3f",
              session,
              arrival,
              lastCame);
          lastCame = Math.max(lastCame, arrival);
          lastEntered = Math.max(lastEntered, entered);
        }
      }
    }
  }
}
