package fairgate.prove.fault;

import fairgate.prove.check.Names;
import fairgate.prove.environment.Broker;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.RunLog;
import fairgate.prove.environment.Waiting;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// Kafka dies while it has the only copy of some orders, and comes back without its data. Servers
/// keep running, so nothing is repaired by a restart.
final class EmptyKafka {
  /// A broker keeps a reader waiting for half a second at most.
  private static final long ASKED_BEFORE_MS = 1_000;

  private static final int LOOKS = 50;
  private static final long LOOK_MS = 200;
  private static final String RELAYS = "ledger";
  private static final String LATEST = "500";

  private EmptyKafka() {}

  static boolean strike(FaultContext site) throws IOException, SQLException {
    Broker broker = site.engines().broker().orElseThrow();
    Set<Broker.KafkaRecord> lost;
    List<Broker.KafkaRecord> had;
    long died;
    try (HeldReaders _ = new HeldReaders(site.stage().nodes())) {
      Waiting.rest(ASKED_BEFORE_MS);
      Set<Broker.KafkaRecord> given = new HashSet<>(broker.all());
      lost = awaitTaken(site, broker, given);
      if (lost.isEmpty()) {
        return false;
      }
      had = broker.all();
      broker.kill();
      died = now(site.engines());
    }
    Waiting.rest(site.about(1_000));
    broker.backEmpty();
    long missing = awaitAll(site, products(site, lost));
    site.runLog().emptied(new RunLog.KafkaEmptied(died, had, lost, missing));
    return true;
  }

  /// Waits for further entries in Kafka that the outbox has acknowledged. Empty if buyers buy
  /// nothing for long.
  private static Set<Broker.KafkaRecord> awaitTaken(
      FaultContext site, Broker broker, Set<Broker.KafkaRecord> besides) throws IOException {
    Set<Broker.KafkaRecord> taken = new HashSet<>();
    for (int look = 0; look < LOOKS && taken.isEmpty(); look++) {
      Waiting.rest(LOOK_MS);
      for (Broker.KafkaRecord entry : broker.all()) {
        if (!besides.contains(entry) && isAcknowledged(site.engines(), entry)) {
          taken.add(entry);
        }
      }
    }
    return taken;
  }

  /// The time of Redis, which events use; ms.
  private static long now(Engines engines) throws IOException {
    try (Resp redis = engines.masters().getFirst().open()) {
      return 1_000 * (1 + number(Resp.texts(redis.value("TIME")).getFirst()));
    }
  }

  private static boolean isAcknowledged(Engines engines, Broker.KafkaRecord entry)
      throws IOException {
    String outbox = Names.of(entry.product(), engines.clustered()).outbox();
    try (Resp redis = engines.master(entry.product()).open()) {
      if (!(redis.value("XREVRANGE", outbox, "+", "-", "COUNT", LATEST) instanceof List<?> all)) {
        return false;
      }
      for (Object one : all) {
        if (one instanceof List<?> pair && is(Resp.texts(pair.getLast()), entry)) {
          String id = String.valueOf(pair.getFirst());
          return redis.value("XPENDING", outbox, RELAYS, id, id, "1") instanceof List<?> pending
              && pending.isEmpty();
        }
      }
      return false;
    }
  }

  /// @param fields names and values in turn
  private static boolean is(List<String> fields, Broker.KafkaRecord entry) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i + 1 < fields.size(); i += 2) {
      values.put(fields.get(i), fields.get(i + 1));
    }
    return Long.toString(entry.epoch()).equals(values.get("epoch"))
        && Long.toString(entry.seq()).equals(values.get("seq"));
  }

  private static Set<String> products(FaultContext site, Set<Broker.KafkaRecord> lost) {
    Set<String> products = new TreeSet<>(site.products().get());
    lost.forEach(entry -> products.add(entry.product()));
    return products;
  }

  /// The events that Redis had counted for a sale.
  private record Counted(String product, long epoch, long seq) {}

  /// Waits until the ledger has all that Redis has counted by now; how much of it is missing when
  /// that is no longer waited for.
  private static long awaitAll(FaultContext site, Set<String> products)
      throws IOException, SQLException {
    List<Counted> counted = new ArrayList<>();
    for (String product : products) {
      String sale = Names.of(product, site.engines().clustered()).sale();
      try (Resp redis = site.engines().master(product).open()) {
        List<String> found = redis.texts("HMGET", sale, "epoch", "seq");
        counted.add(new Counted(product, number(found.getFirst()), number(found.getLast())));
      }
    }
    long deadline = System.nanoTime() + site.patience().toNanos();
    long missing = missing(site.engines(), counted);
    while (missing > 0 && System.nanoTime() < deadline) {
      Waiting.rest(LOOK_MS);
      missing = missing(site.engines(), counted);
    }
    return missing;
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  private static long missing(Engines engines, List<Counted> counted) throws SQLException {
    long missing = 0;
    try (Connection sql = engines.sql();
        PreparedStatement query =
            sql.prepareStatement(
                "SELECT count(*) FROM order_events WHERE product_id = ? AND epoch = ?"
                    + " AND seq <= ?")) {
      for (Counted one : counted) {
        query.setString(1, one.product());
        query.setLong(2, one.epoch());
        query.setLong(3, one.seq());
        try (ResultSet row = query.executeQuery()) {
          missing += one.seq() - (row.next() ? row.getLong(1) : 0);
        }
      }
    }
    return missing;
  }
}
