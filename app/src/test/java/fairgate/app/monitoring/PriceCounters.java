package fairgate.app.monitoring;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a server has cost its engines so far, in units that a busy machine does not change, and the
/// table of `docs/performance.md` that says how much it may cost.
public final class PriceCounters {
  /// The counters that have a row in the table, and their names there.
  public static final Map<String, String> ROWS =
      Map.of(
          "rows", "rows inserted or updated",
          "index entries", "index entries",
          "transactions", "transactions",
          "wal", "WAL, bytes",
          "commands", "Redis commands, those of scripts included",
          "scripts", "script runs",
          "aof", "append-only file, bytes");

  /// Has one row a minute of each open sale: a test of seconds sees all of them or none.
  public static final String BY_THE_CLOCK = "sale_minutes";

  private static final String TABLES =
      """
      SELECT relid::regclass::text AS name, n_tup_ins AS inserted, n_tup_upd AS updated,
        n_tup_upd - n_tup_hot_upd AS moved
      FROM pg_stat_user_tables WHERE n_tup_ins + n_tup_upd > 0
      """;
  private static final String DATABASE =
      """
      SELECT xact_commit + xact_rollback, pg_current_wal_insert_lsn() - '0/0'
      FROM pg_stat_database WHERE datname = current_database()
      """;
  private static final Pattern CALLS = Pattern.compile("cmdstat_([a-z|]+):calls=(\\d+)");
  private static final Pattern LINE =
      Pattern.compile("\\| ([^|]+) \\| ([\\d.,]+) \\| ([\\d.,]+) \\| ([\\d.,]+) \\|");

  private final String redis;
  private final PostgresAddress database;

  public PriceCounters(TestEngines engines, PostgresAddress database) {
    this.redis = engines.redisUri();
    this.database = database;
  }

  /// The counters now, by their short names; those of single tables begin with `table `.
  public Map<String, Double> read() {
    Map<String, Double> all = new TreeMap<>();
    readRedis(all);
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      readPostgres(statement, all);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return all;
  }

  private void readRedis(Map<String, Double> all) {
    Matcher calls = CALLS.matcher(RespConnection.call(redis, "INFO", "commandstats"));
    while (calls.find()) {
      double number = Double.parseDouble(calls.group(2));
      all.merge("commands", number, Double::sum);
      if (calls.group(1).equals("evalsha")) {
        all.put("scripts", number);
      }
    }
    Matcher size =
        Pattern.compile("aof_current_size:(\\d+)")
            .matcher(RespConnection.call(redis, "INFO", "persistence"));
    if (size.find()) {
      all.put("aof", Double.parseDouble(size.group(1)));
    }
  }

  private static void readPostgres(Statement statement, Map<String, Double> all)
      throws SQLException {
    Map<String, double[]> tables = new TreeMap<>();
    try (ResultSet rows = statement.executeQuery(TABLES)) {
      while (rows.next()) {
        double inserted = rows.getLong("inserted");
        tables.put(
            rows.getString("name"),
            new double[] {inserted + rows.getLong("updated"), inserted + rows.getLong("moved")});
      }
    }
    for (Map.Entry<String, double[]> table : tables.entrySet()) {
      all.put("table " + table.getKey(), table.getValue()[0]);
      if (table.getKey().equals(BY_THE_CLOCK)) {
        continue;
      }
      all.merge("rows", table.getValue()[0], Double::sum);
      all.merge(
          "index entries", table.getValue()[1] * indexes(statement, table.getKey()), Double::sum);
    }
    try (ResultSet rows = statement.executeQuery(DATABASE)) {
      rows.next();
      all.put("transactions", rows.getDouble(1));
      all.put("wal", rows.getDouble(2));
    }
  }

  /// The number of indexes that a row is in, on average: a partial one has a part of the rows.
  private static double indexes(Statement statement, String table) throws SQLException {
    StringBuilder sum = new StringBuilder("SELECT coalesce(avg(0");
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT coalesce(pg_get_expr(indpred, indrelid), 'true') FROM pg_index"
                + " WHERE indrelid = '"
                + table
                + "'::regclass")) {
      while (rows.next()) {
        sum.append(" + coalesce((").append(rows.getString(1)).append(")::int, 0)");
      }
    }
    try (ResultSet rows =
        statement.executeQuery(sum.append("), 0) FROM ").append(table).toString())) {
      rows.next();
      return rows.getDouble(1);
    }
  }

  /// The differences of two readings, divided.
  public static Map<String, Double> spent(
      Map<String, Double> before, Map<String, Double> after, double by) {
    Map<String, Double> spent = new TreeMap<>();
    after.forEach((name, value) -> spent.put(name, (value - before.getOrDefault(name, 0.0)) / by));
    return spent;
  }

  /// The table of the documentation: by the name of a row, the most that a buyer, an idle minute
  /// with one open sale, and one with 50 may cost.
  public static Map<String, double[]> allowed() throws IOException {
    Map<String, double[]> allowed = new TreeMap<>();
    String page = Files.readString(Path.of("..", "docs", "performance.md"));
    String section = page.substring(page.indexOf("## The price of a buyer") + 3);
    Matcher line = LINE.matcher(section.substring(0, section.indexOf("\n## ")));
    while (line.find()) {
      allowed.put(
          line.group(1),
          new double[] {number(line.group(2)), number(line.group(3)), number(line.group(4))});
    }
    return allowed;
  }

  private static double number(String text) {
    return Double.parseDouble(text.replace(",", ""));
  }
}
