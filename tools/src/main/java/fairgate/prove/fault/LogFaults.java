package fairgate.prove.fault;

import fairgate.prove.check.Names;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Master;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.ReplicaSet;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.RunLog;
import fairgate.prove.environment.TcpProxies;
import fairgate.prove.environment.TcpProxy;
import fairgate.prove.environment.Waiting;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/// Harm to Redis' log.
final class LogFaults {
  private static final int QUIET_LOOKS = 5;
  private static final int PATIENT_LOOKS = 80;
  private static final long LOOK_MS = 100;

  /// Long enough to rebuild a sale and to sell some of it, unless the machine is busy.
  private static final long HELD_MS = 3_000;

  /// The further time for a busy machine. The held server gives its call up after nine seconds.
  private static final Duration REBUILD = Duration.ofSeconds(4);

  private static final Duration ARRIVAL = Duration.ofSeconds(10);

  private LogFaults() {}

  /// A power cut: Redis loses its latest writes, none of which was answered.
  static boolean cut(FaultContext site) throws IOException {
    Master master = site.master();
    TcpProxies proxies = site.stage().proxies(master);
    proxies.holdReplies();
    // Everything that was answered was in the log before.
    long answered = master.logSize();
    Waiting.rest(site.about(400));
    master.kill();
    long from = System.nanoTime();
    long written = master.logSize();
    long left = answered + site.chance().nextLong(written - answered + 1);
    master.cutLog(left);
    proxies.drop();
    proxies.flow();
    site.runLog()
        .tell("", "%d of %d unanswered bytes cut".formatted(written - left, written - answered));
    boolean met = site.outage(master, from);
    master.back();
    return met && written > left;
  }

  /// Redis loses writes that it has answered, some of which the ledger has. It is the first Redis
  /// whose events reach the ledger.
  static boolean olderCopy(FaultContext site) throws IOException, SQLException {
    Engines engines = site.engines();
    Map<Integer, Long> copies = new HashMap<>();
    for (Master master : engines.masters()) {
      copies.put(master.index(), master.logSize());
    }
    long from = System.nanoTime();
    Map<String, Long> before = events(engines);
    Waiting.rest(site.about(1_500));
    Optional<Master> serving = servingMaster(engines, before);
    Master master = serving.isPresent() ? serving.get() : site.master();
    Predicate<String> sales = engines.salesOf(master);
    master.kill();
    long dead = System.nanoTime();
    Set<String> known = known(engines, sales);
    master.cutLog(copies.getOrDefault(master.index(), 0L));
    Map<String, Long> epochs = openedEpochs(engines);
    long to = System.nanoTime();
    site.runLog().loss(new RunLog.Loss(from, to, known, epochs, sales, engines.placesOf(master)));
    site.runLog().outage(dead, to, sales);
    Map<String, Position> ledger = positions(engines, sales);
    master.back();
    return older(engines, master, ledger);
  }

  /// The machine of the primary Redis is lost, with all writes that no replica has yet. Places,
  /// keys and tokens of the last moments may be lost with it; answered purchases must not.
  static boolean failover(FaultContext site) throws IOException, SQLException {
    Engines engines = site.engines();
    ReplicaSet replicas = engines.replicas().orElseThrow();
    Master master = site.master();
    Predicate<String> sales = engines.salesOf(master);
    long from = System.nanoTime();
    replicas.holdStream();
    Waiting.rest(site.about(800));
    replicas.killPrimary();
    long dead = System.nanoTime();
    site.runLog().failover(dead);
    boolean met = site.outage(master, dead);
    Set<String> known = known(engines, sales);
    Map<String, Long> epochs = openedEpochs(engines);
    long to = System.nanoTime();
    site.runLog().loss(new RunLog.Loss(from, to, known, epochs, sales, engines.placesOf(master)));
    replicas.promote();
    return met;
  }

  /// Redis loses entries that only a relay still has. The relay's connection to PostgreSQL, or to
  /// Kafka, is held before it starts to write, so it has no lock in the ledger for which a rebuild
  /// would wait. The other servers rebuild the sale and continue to sell, and only then do the
  /// entries arrive.
  static boolean relayHeld(FaultContext site) throws IOException, SQLException {
    Engines engines = site.engines();
    boolean kafka = engines.broker().isPresent();
    Function<Node, TcpProxy> proxy = kafka ? Node::kafka : Node::postgres;
    Master master = site.master();
    long copy = master.logSize();
    long from = System.nanoTime();
    Optional<Node> hit =
        kafka
            ? TrafficWatch.first(
                site, proxy, TrafficWatch.Moment.SENT, node -> node.kafka().holdRequests())
            : TrafficWatch.first(
                site,
                node -> node.redis(master),
                TrafficWatch.Moment.READ,
                node -> node.postgres().holdRequests());
    if (hit.isEmpty()) {
      return false;
    }
    TcpProxy held = proxy.apply(hit.get());
    try {
      Predicate<String> sales = engines.salesOf(master);
      master.kill();
      long dead = System.nanoTime();
      Set<String> known = known(engines, sales);
      Map<String, Position> before = positions(engines, sales);
      master.cutLog(copy);
      Map<String, Long> epochs = openedEpochs(engines);
      long to = System.nanoTime();
      site.runLog().loss(new RunLog.Loss(from, to, known, epochs, sales, engines.placesOf(master)));
      site.runLog().outage(dead, to, sales);
      master.back();
      Waiting.rest(HELD_MS + site.about(1_000));
      // With Kafka a rebuild may wait for entries that are on their way, as long as a producer
      // tries.
      Map<String, Position> left = kafka ? before : leftInTime(engines, before);
      long arrived = arrived(engines, left);
      held.flow();
      long deadline = System.nanoTime() + ARRIVAL.toNanos();
      while (arrived(engines, left) == arrived && System.nanoTime() < deadline) {
        Waiting.rest(LOOK_MS);
      }
      return arrived(engines, left) > arrived;
    } finally {
      held.flow();
    }
  }

  /// By product: the highest epoch that was ever opened. Products in their first epoch are absent.
  private static Map<String, Long> openedEpochs(Engines engines) throws SQLException {
    Map<String, Long> epochs = new HashMap<>();
    try (Connection sql = engines.sql();
        Statement statement = sql.createStatement();
        ResultSet rows = statement.executeQuery("SELECT product_id, opened FROM sale_epochs")) {
      while (rows.next()) {
        epochs.put(rows.getString(1), rows.getLong(2));
      }
    }
    return epochs;
  }

  /// As `left`, once there is one, or after [#REBUILD].
  private static Map<String, Position> leftInTime(Engines engines, Map<String, Position> epochs)
      throws SQLException {
    long deadline = System.nanoTime() + REBUILD.toNanos();
    Map<String, Position> left = left(engines, epochs);
    while (left.isEmpty() && System.nanoTime() < deadline) {
      Waiting.rest(LOOK_MS);
      left = left(engines, epochs);
    }
    return left;
  }

  /// Those of the epochs that their sales have left since.
  private static Map<String, Position> left(Engines engines, Map<String, Position> epochs)
      throws SQLException {
    Map<String, Position> left = new HashMap<>();
    try (Connection sql = engines.sql();
        Statement statement = sql.createStatement();
        ResultSet rows = statement.executeQuery("SELECT product_id, opened FROM sale_epochs")) {
      while (rows.next()) {
        Position then = epochs.get(rows.getString(1));
        if (then != null && rows.getLong(2) > then.epoch()) {
          left.put(rows.getString(1), then);
        }
      }
    }
    return left;
  }

  /// How many events of these epochs and earlier ones the ledger has.
  private static long arrived(Engines engines, Map<String, Position> epochs) throws SQLException {
    long count = 0;
    try (Connection sql = engines.sql();
        PreparedStatement statement =
            sql.prepareStatement(
                "SELECT count(*) FROM order_events WHERE product_id = ? AND epoch <= ?")) {
      for (Map.Entry<String, Position> one : epochs.entrySet()) {
        statement.setString(1, one.getKey());
        statement.setLong(2, one.getValue().epoch());
        try (ResultSet row = statement.executeQuery()) {
          count += row.next() ? row.getLong(1) : 0;
        }
      }
    }
    return count;
  }

  /// How far a sale's outbox has been written, or read.
  private record Position(long epoch, long seq) {}

  private static Map<String, Position> positions(Engines engines, Predicate<String> sales)
      throws SQLException {
    try (Connection sql = engines.sql();
        Statement statement = sql.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT product_id, epoch, last_seq FROM outbox_positions")) {
      Map<String, Position> positions = new HashMap<>();
      while (rows.next()) {
        if (sales.test(rows.getString(1))) {
          positions.put(rows.getString(1), new Position(rows.getLong(2), rows.getLong(3)));
        }
      }
      return positions;
    }
  }

  /// Whether the copy lacks something that the ledger has. The servers may have noticed by now:
  /// then the sale is in a later epoch.
  private static boolean older(Engines engines, Master master, Map<String, Position> ledger)
      throws IOException {
    try (Resp redis = master.open()) {
      for (Map.Entry<String, Position> one : ledger.entrySet()) {
        String sale = Names.of(one.getKey(), engines.clustered()).sale();
        List<String> found = redis.texts("HMGET", sale, "epoch", "seq");
        long epoch = number(found.getFirst());
        Position known = one.getValue();
        if (epoch != known.epoch() || number(found.getLast()) < known.seq()) {
          return true;
        }
      }
      return false;
    }
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  /// A Redis whose sales have new events in the ledger; empty if there is none for long.
  private static Optional<Master> servingMaster(Engines engines, Map<String, Long> before)
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

  /// The orders whose first event is in the ledger, once no relay writes their events any more.
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
