package fairgate.account;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/// Accounts in PostgreSQL.
final class PostgresAccounts {
  private static final String INSERT =
      """
      INSERT INTO accounts (id, username, name_key, password, created_at)
      VALUES ($1, $2, $3, $4, $5)
      """;
  private static final String BY_NAME =
      "SELECT id, username, password, created_at FROM accounts WHERE name_key = $1";
  private static final String BY_ID =
      "SELECT id, username, password, created_at FROM accounts WHERE id = $1";
  private static final String REHASH =
      "UPDATE accounts SET password = $3 WHERE id = $1 AND password = $2";

  private final PostgresDatabase database;

  PostgresAccounts(PostgresDatabase database) {
    this.database = database;
  }

  /// An account and its password's PHC string.
  record Stored(Account account, String password) {}

  /// Adds an account.
  ///
  /// @return false when the name is taken
  Future<Boolean> add(Account account, Username name, String password) {
    return database
        .query(
            INSERT,
            account.id(),
            name.shown(),
            name.key(),
            password,
            account.createdAt().atOffset(ZoneOffset.UTC))
        .map(_ -> true)
        .recover(
            failure ->
                failure instanceof PostgresRefusal refusal && refusal.duplicate()
                    ? Future.succeededFuture(false)
                    : Future.failedFuture(failure));
  }

  Future<Optional<Stored>> byName(String nameKey) {
    return database.query(BY_NAME, nameKey).map(PostgresAccounts::first);
  }

  Future<Optional<Account>> byId(String id) {
    return database.query(BY_ID, id).map(rows -> first(rows).map(Stored::account));
  }

  /// Puts a hash under newer settings in the place of an older one of the same password.
  Future<Void> rehash(String id, String older, String newer) {
    return database.query(REHASH, id, older, newer).mapEmpty();
  }

  private static Optional<Stored> first(List<Row> rows) {
    return rows.stream()
        .findFirst()
        .map(
            row ->
                new Stored(
                    new Account(
                        row.getString("id"), row.getString("username"), instant(row, "created_at")),
                    row.getString("password")));
  }

  static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }
}
