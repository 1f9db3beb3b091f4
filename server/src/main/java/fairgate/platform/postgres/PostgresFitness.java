package fairgate.platform.postgres;

import io.vertx.sqlclient.Row;
import org.jspecify.annotations.Nullable;

/// Whether the schema could be made in a database, and kept up to date.
///
/// @param words for the operator: what was found, or what is wrong and what helps
public record PostgresFitness(boolean fit, String words) {
  /// Links are numbered by `xid8`, which came with this one.
  private static final int MAJOR = 13;

  /// The owner of the schema's record is whoever owns all tables.
  static final String LOOK =
      """
      SELECT current_setting('server_version') AS version,
             current_setting('server_version_num')::int / 10000 AS major,
             current_setting('server_encoding') AS encoding,
             current_setting('transaction_read_only')::bool AS read_only,
             current_user::text AS me,
             coalesce(current_schema()::text, '') AS home,
             coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS makes,
             (SELECT tableowner::text FROM pg_tables
              WHERE schemaname = current_schema() AND tablename = 'flyway_schema_history'
                AND NOT pg_has_role(tableowner, 'USAGE')) AS owner
      """;

  /// @param row of `LOOK`
  static PostgresFitness of(Row row) {
    String version = row.getString("version");
    String me = row.getString("me");
    String home = row.getString("home");
    @Nullable String owner = row.getString("owner");
    if (row.getInteger("major") < MAJOR) {
      return wrong("PostgreSQL " + version + " is too old; " + MAJOR + " or later is needed");
    }
    if (row.getBoolean("read_only")) {
      return wrong("takes no writes (a standby, or default_transaction_read_only)");
    }
    if (!row.getString("encoding").equals("UTF8")) {
      return wrong("the database keeps text as " + row.getString("encoding") + ", not as UTF8");
    }
    if (home.isEmpty()) {
      return wrong("no schema for " + me + " to make tables in; look at its search_path");
    }
    if (!row.getBoolean("makes")) {
      return wrong(
          "%s may not make tables; GRANT CREATE ON SCHEMA %s TO %s".formatted(me, home, me));
    }
    if (owner != null) {
      return wrong("the tables belong to %s, whose rights %s lacks".formatted(owner, me));
    }
    return new PostgresFitness(
        true, "PostgreSQL " + version + ", " + me + " may make tables in " + home);
  }

  private static PostgresFitness wrong(String words) {
    return new PostgresFitness(false, words);
  }
}
