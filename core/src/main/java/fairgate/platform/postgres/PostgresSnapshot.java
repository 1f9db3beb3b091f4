package fairgate.platform.postgres;

import fairgate.kernel.ServiceUnavailable;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.postgresql.PGConnection;

/// All tables of the database at one instant, for a backup. Reads over a connection of its own, in
/// one transaction; writers are not disturbed. Blocks. [PostgresLoader] is the reverse.
public final class PostgresSnapshot implements AutoCloseable {
  /// Flyway writes its history itself when the schema is created again.
  private static final String TABLES =
      """
      SELECT c.relname, string_agg(quote_ident(a.attname), ',' ORDER BY a.attnum)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
        AND NOT a.attisdropped AND a.attgenerated = '' AND c.relname <> 'flyway_schema_history'
      GROUP BY c.relname ORDER BY c.relname
      """;

  private static final String REFERENCES =
      """
      SELECT t.relname, r.relname FROM pg_constraint k
      JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
      WHERE k.contype = 'f' AND t.relnamespace = 'public'::regnamespace AND t.oid <> r.oid
      """;
  private static final String SEQUENCES =
      """
      SELECT sequencename, coalesce(last_value, 0) FROM pg_sequences WHERE schemaname = 'public'
      """;
  private static final String VERSIONS =
      "SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL";

  private final Connection connection;

  private PostgresSnapshot(Connection connection) {
    this.connection = connection;
  }

  /// A table and its columns, without generated ones.
  ///
  /// @param columns separated by commas, quoted where necessary
  public record Table(String name, String columns) {}

  /// Takes the snapshot. Throws ServiceUnavailable when PostgreSQL does not answer.
  public static PostgresSnapshot take(PostgresSettings settings) {
    try {
      Connection connection = connect(settings);
      connection.setAutoCommit(false);
      connection.setReadOnly(true);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      PostgresSnapshot snapshot = new PostgresSnapshot(connection);
      // The first query fixes the instant.
      List<List<String>> _ = snapshot.rows("SELECT now()");
      return snapshot;
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  static Connection connect(PostgresSettings settings) throws SQLException {
    return DriverManager.getConnection(settings.jdbcUrl(), settings.user(), settings.password());
  }

  static ServiceUnavailable unavailable(SQLException cause) {
    return PostgresFailures.unavailable(cause);
  }

  /// The applied migrations; none in a database without the schema.
  public Set<String> versions() {
    Set<String> versions = new TreeSet<>();
    if (!column("SELECT to_regclass('flyway_schema_history')").getFirst().isEmpty()) {
      versions.addAll(column(VERSIONS));
    }
    return versions;
  }

  /// The tables, each after those that it refers to.
  public List<Table> tables() {
    Map<String, Table> waiting = new LinkedHashMap<>();
    rows(TABLES).forEach(row -> waiting.put(row.get(0), new Table(row.get(0), row.get(1))));
    List<List<String>> references = rows(REFERENCES);
    List<Table> sorted = new ArrayList<>();
    while (!waiting.isEmpty()) {
      Set<String> bound = new LinkedHashSet<>();
      references.stream()
          .filter(pair -> waiting.containsKey(pair.get(0)) && waiting.containsKey(pair.get(1)))
          .forEach(pair -> bound.add(pair.get(0)));
      List<Table> free =
          waiting.values().stream().filter(table -> !bound.contains(table.name())).toList();
      if (free.isEmpty()) {
        throw new IllegalStateException("tables refer to each other in a circle: " + bound);
      }
      free.forEach(
          table -> {
            sorted.add(table);
            waiting.remove(table.name());
          });
    }
    return List.copyOf(sorted);
  }

  /// Writes the rows of a table in PostgreSQL's text format and returns their number.
  public long write(Table table, OutputStream out) throws IOException {
    try {
      return connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyOut("COPY %s (%s) TO STDOUT".formatted(table.name(), table.columns()), out);
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /// The last values of the sequences; 0 for those without one.
  public Map<String, Long> sequences() {
    Map<String, Long> values = new TreeMap<>();
    rows(SEQUENCES).forEach(row -> values.put(row.get(0), Long.parseLong(row.get(1))));
    return values;
  }

  /// The first column of a query, as texts.
  public List<String> column(String sql) {
    return rows(sql).stream().map(List::getFirst).toList();
  }

  private List<List<String>> rows(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      List<List<String>> rows = new ArrayList<>();
      while (result.next()) {
        List<String> row = new ArrayList<>(columns);
        for (int i = 1; i <= columns; i++) {
          String value = result.getString(i);
          row.add(value == null ? "" : value);
        }
        rows.add(row);
      }
      return rows;
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }
}
