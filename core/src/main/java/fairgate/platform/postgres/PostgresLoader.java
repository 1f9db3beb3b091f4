package fairgate.platform.postgres;

import fairgate.platform.postgres.PostgresSnapshot.Table;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.flywaydb.core.Flyway;
import org.postgresql.PGConnection;

/// Fills an empty database from a [PostgresSnapshot], in one transaction: after a failure the
/// database has the schema and no rows. Blocks.
public final class PostgresLoader implements AutoCloseable {
  private static final String OCCUPIED =
      """
      SELECT count(*) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v')
      """;

  private final Connection connection;
  private List<Table> tables = List.of();

  private PostgresLoader(Connection connection) {
    this.connection = connection;
  }

  /// The database has tables already, or the backup is of a build with another schema.
  public static final class Unfit extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    Unfit(String message) {
      super(message);
    }
  }

  /// Creates the schema of the snapshot in an empty database.
  ///
  /// @param versions the migrations of the snapshot
  /// @throws Unfit when the database is not empty, or this build lacks one of the migrations
  public static PostgresLoader open(PostgresSettings settings, Set<String> versions) {
    SortedMap<String, Integer> known = Migrations.known();
    SortedSet<String> unknown = new TreeSet<>(versions);
    unknown.removeAll(known.keySet());
    if (!unknown.isEmpty() && unknown.first().compareTo(known.lastKey()) < 0) {
      throw new Unfit(
          "the backup was made by a build from before release 0.1.0, with other tables (schema"
              + " version %s). Restore it with that build".formatted(unknown.last()));
    }
    if (!unknown.isEmpty() || versions.isEmpty()) {
      throw new Unfit(
          "the backup was made by a newer build: this one lacks the migrations " + unknown);
    }
    try {
      Connection connection = PostgresSnapshot.connect(settings);
      PostgresLoader loader = new PostgresLoader(connection);
      if (loader.number(OCCUPIED) > 0) {
        connection.close();
        throw new Unfit("the database " + settings.database() + " is not empty");
      }
      Flyway.configure()
          .dataSource(settings.jdbcUrl(), settings.user(), settings.password())
          .locations("classpath:" + Migrations.FOLDER)
          .target(versions.stream().max(String::compareTo).orElseThrow())
          .loggers("slf4j")
          .load()
          .migrate();
      connection.setAutoCommit(false);
      return loader;
    } catch (SQLException e) {
      throw PostgresSnapshot.unavailable(e);
    }
  }

  /// Removes what the migrations wrote. Triggers do not run until `finish`.
  ///
  /// @param all the tables of the snapshot
  public void begin(List<Table> all) {
    tables = List.copyOf(all);
    tables.forEach(table -> execute("ALTER TABLE " + table.name() + " DISABLE TRIGGER USER"));
    execute("TRUNCATE " + tables.stream().map(Table::name).collect(Collectors.joining(", ")));
  }

  /// Reads the rows of a table and returns their number.
  public long load(Table table, InputStream rows) throws IOException {
    try {
      return connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY %s (%s) FROM STDIN".formatted(table.name(), table.columns()), rows);
    } catch (SQLException e) {
      throw PostgresSnapshot.unavailable(e);
    }
  }

  /// Sets the sequences, runs the statements and commits.
  ///
  /// @param sequences their last values; 0 for those without one
  /// @param statements changes of the rows that were loaded
  public void finish(Map<String, Long> sequences, List<String> statements) {
    sequences.forEach(
        (name, last) -> {
          if (last > 0) {
            long _ = number("SELECT setval('%s', %d)".formatted(name, last));
          }
        });
    statements.forEach(this::execute);
    // Checks deferred references now; a table with pending checks cannot be altered.
    execute("SET CONSTRAINTS ALL IMMEDIATE");
    tables.forEach(table -> execute("ALTER TABLE " + table.name() + " ENABLE TRIGGER USER"));
    try {
      connection.commit();
    } catch (SQLException e) {
      throw PostgresSnapshot.unavailable(e);
    }
  }

  private long number(String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() ? result.getLong(1) : 0;
    } catch (SQLException e) {
      throw PostgresSnapshot.unavailable(e);
    }
  }

  private void execute(String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw PostgresSnapshot.unavailable(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw PostgresSnapshot.unavailable(e);
    }
  }
}
