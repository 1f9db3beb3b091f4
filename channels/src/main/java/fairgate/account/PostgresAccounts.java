package fairgate.account;

import fairgate.kernel.KeyRing;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/// Accounts in PostgreSQL.
///
/// @param keys hash the names of deleted accounts
record PostgresAccounts(PostgresDatabase database, KeyRing keys) {
  private static final String INSERT =
      """
      INSERT INTO accounts (id, username, name_key, password, created_at, look)
      VALUES ($1, $2, $3, $4, $5, $6)
      """;
  private static final String COLUMNS =
      "SELECT a.id, a.username, coalesce(a.password, '') AS password, a.created_at ";
  private static final String BY_NAME = COLUMNS + "FROM accounts a WHERE name_key = $1";
  private static final String BY_ID = COLUMNS + "FROM accounts a WHERE id = $1";
  private static final String REPLACE =
      """
      UPDATE accounts SET password = $3
      WHERE id = $1 AND password IS NOT DISTINCT FROM nullif($2::text, '')
      """;
  private static final String SET = "UPDATE accounts SET password = $2 WHERE id = $1";

  private static final String LOOK = "accounts_look";
  private static final String NOT_JUDGED =
      "SELECT name_key, username FROM accounts WHERE look IS NULL ORDER BY created_at LIMIT 1000";
  private static final String JUDGE =
      """
      UPDATE accounts a SET look = CASE
        WHEN EXISTS (SELECT FROM accounts o WHERE o.look = $2) THEN '=' || name_key ELSE $2 END
      WHERE name_key = $1 AND look IS NULL
      """;

  /// Registering a name and giving it up wait for each other, and so do names that look alike.
  private static final String LOCK_NAME = "SELECT pg_advisory_xact_lock(hashtextextended($1, 83))";

  private static final String KEPT =
      "SELECT 1 FROM account_names_kept WHERE name_hash IN ($1, $2) AND kept_until > $3";
  private static final String KEEP =
      """
      INSERT INTO account_names_kept (name_hash, kept_until) VALUES ($1, $2)
      ON CONFLICT (name_hash) DO UPDATE SET kept_until = $2
      """;
  private static final String PUT_RESET =
      """
      INSERT INTO account_resets (account_id, token_hash, expires_at) VALUES ($1, $2, $3)
      ON CONFLICT (account_id) DO UPDATE SET token_hash = $2, expires_at = $3
      """;
  private static final String BY_RESET =
      COLUMNS
          + """
          FROM account_resets r JOIN accounts a ON a.id = r.account_id
          WHERE r.token_hash = $1 AND r.expires_at > $2
          """;
  private static final String USE_RESET =
      "DELETE FROM account_resets WHERE account_id = $1 AND token_hash = $2 AND expires_at > $3";
  private static final String NAME_PURPOSE = "account-name";
  private static final String LOOK_PURPOSE = "account-look";

  /// An account and its password's PHC string; empty for an account without a password.
  record Stored(Account account, String password) {}

  enum Added {
    DONE,
    /// The name belongs to an account, or is reserved for a deleted account with this name or one
    /// that looks alike.
    TAKEN,
    /// The name looks like that of an account.
    ALIKE
  }

  /// Adds an account. Blocks.
  Added add(Account account, Username name, String password) {
    OffsetDateTime now = at(account.createdAt());
    String look = UsernameRules.look(name);
    String hash = keys.fingerprint(LOOK_PURPOSE, look);
    try {
      return database.tx(
          db -> {
            var _ = db.query(LOCK_NAME, hash);
            if (!db.query(KEPT, hash, keys.fingerprint(NAME_PURPOSE, name.key()), now).isEmpty()) {
              return Added.TAKEN;
            }
            db.update(INSERT, account.id(), name.shown(), name.key(), password, now, look);
            return Added.DONE;
          });
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        return LOOK.equals(refusal.constraint()) ? Added.ALIKE : Added.TAKEN;
      }
      throw refusal;
    }
  }

  /// Checks names that were registered before the comparison by look existed: the oldest of those
  /// that look alike blocks new ones. Blocks; a repeat changes nothing.
  void judge() {
    List<Row> rows = database.rows(NOT_JUDGED);
    while (!rows.isEmpty()) {
      for (Row row : rows) {
        String look =
            Username.of(row.getString(1)).map(UsernameRules::look).orElse(row.getString(0));
        int _ = judge(row.getString(0), look);
      }
      rows = database.rows(NOT_JUDGED);
    }
  }

  private int judge(String nameKey, String look) {
    try {
      return database.update(JUDGE, nameKey, look);
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        // Another name of this look was registered at the same time.
        return database.update(JUDGE, nameKey, look);
      }
      throw refusal;
    }
  }

  Future<Optional<Stored>> byName(String nameKey) {
    return database.query(BY_NAME, nameKey).map(PostgresAccounts::first);
  }

  Future<Optional<Account>> byId(String id) {
    return storedById(id).map(stored -> stored.map(Stored::account));
  }

  Future<Optional<Stored>> storedById(String id) {
    return database.query(BY_ID, id).map(PostgresAccounts::first);
  }

  /// Replaces the given hash; false if the account has another one by now. Blocks.
  boolean replace(Stored stored, String password) {
    return database.update(REPLACE, stored.account().id(), stored.password(), password) > 0;
  }

  /// Stores the reset token of an account, replacing an earlier one.
  Future<Void> putReset(String account, String tokenHash, Instant expiresAt) {
    return database.query(PUT_RESET, account, tokenHash, at(expiresAt)).mapEmpty();
  }

  Future<Optional<Stored>> byReset(String tokenHash, Instant now) {
    return database.query(BY_RESET, tokenHash, at(now)).map(PostgresAccounts::first);
  }

  /// Sets a password by a reset token, which is used up; false when it is no longer good. Blocks.
  boolean reset(String account, String tokenHash, String password, Instant now) {
    return database.tx(
        db ->
            db.update(USE_RESET, account, tokenHash, at(now)) > 0
                && db.update(SET, account, password) > 0);
  }

  /// Deletes an account and its data, and reserves its name and look; false if it does not exist.
  /// Blocks.
  boolean delete(Account account, Instant keptUntil) {
    String look = Username.of(account.username()).map(UsernameRules::look).orElse("");
    String hash = keys.fingerprint(LOOK_PURPOSE, look);
    return database.tx(
        db -> {
          var _ = db.query(LOCK_NAME, hash);
          return db.update("DELETE FROM accounts WHERE id = $1", account.id()) > 0
              && db.update(KEEP, hash, at(keptUntil)) > 0;
        });
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

  private static OffsetDateTime at(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }

  static Instant instant(Row row, String column) {
    return row.getOffsetDateTime(column).toInstant();
  }
}
