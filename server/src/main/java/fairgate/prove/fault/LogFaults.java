package fairgate.prove.fault;

import fairgate.prove.stage.Chronicle;
import fairgate.prove.stage.Engines;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Waiting;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;

/// Harm to Redis' log.
final class LogFaults {
  private static final int QUIET_LOOKS = 5;
  private static final long LOOK_MS = 100;

  private LogFaults() {}

  /// A power cut: what Redis wrote last is gone, but nobody was told of it.
  static boolean cut(Site site) throws IOException {
    Engines engines = site.engines();
    site.stage().nodes().forEach(node -> node.redis().holdReplies());
    // Everything that was answered was in the log before.
    long answered = engines.logSize();
    Waiting.rest(site.about(400));
    engines.killRedis();
    long from = System.nanoTime();
    long written = engines.logSize();
    long left = answered + site.chance().nextLong(written - answered + 1);
    engines.cutLog(left);
    for (Node node : site.stage().nodes()) {
      node.redis().drop();
      node.redis().flow();
    }
    site.chronicle()
        .tell("", "%d of %d unanswered bytes cut".formatted(written - left, written - answered));
    site.chronicle().outage(from, System.nanoTime());
    engines.redisBack();
    return written > left;
  }

  /// Redis forgets what it answered last. The ledger remembers most of it.
  static boolean olderCopy(Site site) throws IOException, SQLException {
    Engines engines = site.engines();
    long from = System.nanoTime();
    long copy = engines.logSize();
    Waiting.rest(site.about(1_500));
    long written = engines.logSize();
    engines.killRedis();
    long dead = System.nanoTime();
    Set<String> known = known(engines);
    engines.cutLog(copy);
    long to = System.nanoTime();
    site.chronicle().loss(new Chronicle.Loss(from, to, known));
    site.chronicle().outage(dead, to);
    engines.redisBack();
    return written > copy;
  }

  /// The orders of the ledger, once no relay writes any more.
  private static Set<String> known(Engines engines) throws SQLException {
    Set<String> known = Set.of();
    int quiet = 0;
    while (quiet < QUIET_LOOKS) {
      Waiting.rest(LOOK_MS);
      Set<String> now = orders(engines);
      quiet = now.equals(known) ? quiet + 1 : 0;
      known = now;
    }
    return known;
  }

  private static Set<String> orders(Engines engines) throws SQLException {
    try (Connection sql = engines.sql();
        Statement statement = sql.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT order_id FROM orders WHERE platform = 'fairgate'")) {
      Set<String> orders = new HashSet<>();
      while (rows.next()) {
        orders.add(rows.getString(1));
      }
      return orders;
    }
  }
}
