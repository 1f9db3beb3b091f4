package fairgate.prove.fault;

import fairgate.prove.stage.Chronicle;
import fairgate.prove.stage.Engines;
import fairgate.prove.stage.Master;
import fairgate.prove.stage.Waiting;
import fairgate.prove.stage.Wires;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Harm to Redis' log.
final class LogFaults {
  private static final int QUIET_LOOKS = 5;
  private static final int PATIENT_LOOKS = 80;
  private static final long LOOK_MS = 100;

  private LogFaults() {}

  /// A power cut: what Redis wrote last is gone, but nobody was told of it.
  static boolean cut(Site site) throws IOException {
    Master master = site.master();
    Wires wires = site.stage().wires(master);
    wires.holdReplies();
    // Everything that was answered was in the log before.
    long answered = master.logSize();
    Waiting.rest(site.about(400));
    master.kill();
    long from = System.nanoTime();
    long written = master.logSize();
    long left = answered + site.chance().nextLong(written - answered + 1);
    master.cutLog(left);
    wires.drop();
    wires.flow();
    site.chronicle()
        .tell("", "%d of %d unanswered bytes cut".formatted(written - left, written - answered));
    site.outage(master, from);
    master.back();
    return written > left;
  }

  /// Redis forgets what it answered last, though the ledger remembers some of it. Which Redis: the
  /// first that tells the ledger something.
  static boolean olderCopy(Site site) throws IOException, SQLException {
    Engines engines = site.engines();
    Map<Integer, Long> copies = new HashMap<>();
    for (Master master : engines.masters()) {
      copies.put(master.index(), master.logSize());
    }
    long from = System.nanoTime();
    Map<String, Long> before = events(engines);
    Waiting.rest(site.about(1_500));
    Optional<Master> told = told(engines, before);
    Master master = told.isPresent() ? told.get() : site.master();
    Predicate<String> sales = engines.salesOf(master);
    master.kill();
    long dead = System.nanoTime();
    Set<String> known = known(engines, sales);
    master.cutLog(copies.getOrDefault(master.index(), 0L));
    long to = System.nanoTime();
    site.chronicle().loss(new Chronicle.Loss(from, to, known, sales, engines.placesOf(master)));
    site.chronicle().outage(dead, to, sales);
    master.back();
    return told.isPresent();
  }

  /// A Redis whose sales have more in the ledger than before; empty when none has for long.
  private static Optional<Master> told(Engines engines, Map<String, Long> before)
      throws SQLException {
    for (int look = 0; look < PATIENT_LOOKS; look++) {
      for (Map.Entry<String, Long> now : events(engines).entrySet()) {
        if (now.getValue() > before.getOrDefault(now.getKey(), 0L)) {
          return Optional.of(engines.master(now.getKey()));
        }
      }
      Waiting.rest(LOOK_MS);
    }
    return Optional.empty();
  }

  private static Map<String, Long> events(Engines engines) throws SQLException {
    try (Connection sql = engines.sql();
        Statement statement = sql.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT product_id, count(*) FROM order_events GROUP BY 1")) {
      Map<String, Long> events = new HashMap<>();
      while (rows.next()) {
        events.put(rows.getString(1), rows.getLong(2));
      }
      return events;
    }
  }

  /// The orders whose beginning the ledger has, once no relay writes any more of theirs.
  private static Set<String> known(Engines engines, Predicate<String> sales)
      throws SQLException, IOException {
    Set<String> known = Set.of();
    int quiet = 0;
    while (quiet < QUIET_LOOKS) {
      Waiting.rest(LOOK_MS);
      Set<String> now = orders(engines, sales);
      boolean arrived = engines.broker().isEmpty() || engines.broker().get().lag() == 0;
      quiet = arrived && now.equals(known) ? quiet + 1 : 0;
      known = now;
    }
    return known;
  }

  private static Set<String> orders(Engines engines, Predicate<String> sales) throws SQLException {
    try (Connection sql = engines.sql();
        Statement statement = sql.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT order_id, product_id FROM order_events WHERE kind = 'reserved'")) {
      Set<String> orders = new HashSet<>();
      while (rows.next()) {
        if (sales.test(rows.getString(2))) {
          orders.add(rows.getString(1));
        }
      }
      return orders;
    }
  }
}
