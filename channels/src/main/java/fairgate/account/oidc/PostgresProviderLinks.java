package fairgate.account.oidc;

import fairgate.account.Account;
import fairgate.account.SignInMethods;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/// The links between persons at providers and accounts, in PostgreSQL.
record PostgresProviderLinks(PostgresDatabase database, SignInMethods methods, Clock clock) {
  private static final String FIND =
      """
      SELECT a.id, a.username, a.created_at
      FROM account_providers p JOIN accounts a ON a.id = p.account_id
      WHERE p.subject_hash = $1
      """;
  private static final String INSERT =
      """
      INSERT INTO account_providers (subject_hash, account_id, provider, linked_at)
      VALUES ($1, $2, $3, $4)
      """;
  private static final String LIST =
      "SELECT provider FROM account_providers WHERE account_id = $1 ORDER BY linked_at, provider";
  private static final String DELETE =
      "DELETE FROM account_providers WHERE account_id = $1 AND provider = $2";

  /// The account of a person; empty for a new one. Blocks.
  Optional<Account> find(String subjectHash) {
    return database.query(FIND, subjectHash).await().stream()
        .findFirst()
        .map(PostgresProviderLinks::account);
  }

  /// Creates an account for a new person; empty if another request just did. Blocks.
  Optional<Account> create(String subjectHash, String provider) {
    try {
      return Optional.of(
          database.tx(
              db -> {
                Account account = methods.create(db);
                insert(db, subjectHash, account.id(), provider);
                return account;
              }));
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        return Optional.empty();
      }
      throw refusal;
    }
  }

  /// Links a person to an account; false if one of them has another link, or the account is gone.
  /// Blocks; a repeat is true.
  boolean link(String subjectHash, String account, String provider) {
    try {
      return database.tx(
          db -> {
            insert(db, subjectHash, account, provider);
            return true;
          });
    } catch (PostgresRefusal _) {
      return find(subjectHash).filter(found -> found.id().equals(account)).isPresent();
    }
  }

  private void insert(Db db, String subjectHash, String account, String provider) {
    db.update(INSERT, subjectHash, account, provider, clock.instant().atOffset(ZoneOffset.UTC));
  }

  /// The names of the providers that an account is linked to, oldest first.
  Future<List<String>> list(String account) {
    return database.queryList(LIST, row -> row.getString("provider"), account);
  }

  /// Removes a link, unless it is the last way to sign in. Blocks.
  SignInMethods.Removal unlink(String account, String provider) {
    return methods.remove(account, db -> db.update(DELETE, account, provider));
  }

  private static Account account(Row row) {
    return new Account(
        row.getString("id"),
        row.getString("username"),
        row.getOffsetDateTime("created_at").toInstant());
  }
}
