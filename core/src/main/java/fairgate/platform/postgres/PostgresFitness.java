package fairgate.platform.postgres;

import io.vertx.sqlclient.Row;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether a database is suitable: the schema can be created and migrated, and commits survive a
/// crash of the machine.
///
/// @param version such as `PostgreSQL 18.1`
/// @param words a message for the operator: the findings, or the problem and its solution
/// @param durability the settings `fsync`, `full_page_writes` and `synchronous_commit` of this user
public record PostgresFitness(
    String version, boolean fit, String words, Map<String, String> durability) {
  /// The first version with `xid8`, which numbers links.
  private static final int MAJOR = 13;

  /// The owner of the schema history owns all tables.
  static final String QUERY =
      """
      SELECT current_setting('server_version') AS version,
             current_setting('server_version_num')::int / 10000 AS major,
             current_setting('server_encoding') AS encoding,
             current_setting('fsync') AS fsync,
             current_setting('full_page_writes') AS full_page_writes,
             current_setting('synchronous_commit') AS synchronous_commit,
             current_setting('transaction_read_only')::bool AS read_only,
             current_user::text AS me,
             coalesce(current_schema()::text, '') AS home,
             coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS makes,
             (SELECT tableowner::text FROM pg_tables
              WHERE schemaname = current_schema() AND tablename = 'flyway_schema_history'
                AND NOT pg_has_role(tableowner, 'USAGE')) AS owner
      """;

  /// @param row the result of `QUERY`
  static PostgresFitness of(Row row) {
    String version = "PostgreSQL " + row.getString("version");
    Map<String, String> durability =
        Stream.of("fsync", "full_page_writes", "synchronous_commit")
            .collect(Collectors.toUnmodifiableMap(name -> name, row::getString));
    String home = row.getString("home");
    String found = "%s, %s may make tables in %s".formatted(version, row.getString("me"), home);
    return problem(version, row)
        .map(problem -> new PostgresFitness(version, false, problem, durability))
        .orElseGet(() -> new PostgresFitness(version, true, found, durability));
  }

  private static Optional<String> problem(String version, Row row) {
    String me = row.getString("me");
    String home = row.getString("home");
    @Nullable String owner = row.getString("owner");
    if (row.getInteger("major") < MAJOR) {
      return Optional.of(version + " is too old; " + MAJOR + " or later is needed");
    }
    if (row.getBoolean("read_only")) {
      return Optional.of("takes no writes (a standby, or default_transaction_read_only)");
    }
    if (!row.getString("encoding").equals("UTF8")) {
      return Optional.of(
          "the database keeps text as " + row.getString("encoding") + ", not as UTF8");
    }
    if (home.isEmpty()) {
      return Optional.of("no schema for " + me + " to make tables in; look at its search_path");
    }
    if (!row.getBoolean("makes")) {
      return Optional.of(
          "%s may not make tables; GRANT CREATE ON SCHEMA %s TO %s".formatted(me, home, me));
    }
    if (owner != null) {
      return Optional.of("the tables belong to %s, whose rights %s lacks".formatted(owner, me));
    }
    return Optional.empty();
  }
}
