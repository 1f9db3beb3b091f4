package fairgate.account;

import fairgate.account.SignInMethods.Removal;
import fairgate.account.SignInMethods.Usable;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.io.Serial;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.ToIntFunction;

/// Accounts without a password, and the number of ways to sign in, in PostgreSQL. All methods
/// block.
record PostgresSignInMethods(PostgresDatabase database) {
  private static final String INSERT =
      """
      INSERT INTO accounts (id, username, name_key, password, created_at, look)
      VALUES ($1, $2, $3, NULL, $4, $5)
      """;
  private static final String LOCK =
      "SELECT password IS NOT NULL AS password FROM accounts WHERE id = $1 FOR UPDATE";
  private static final String COUNT =
      """
      SELECT (SELECT count(*) FROM account_providers
              WHERE account_id = $1 AND provider = ANY($2))
        + (SELECT count(*) FROM account_passkeys WHERE account_id = $1 AND $3) AS ways
      """;

  static void insert(Db db, Account account, Username name) {
    var _ =
        db.update(
            INSERT,
            account.id(),
            name.shown(),
            name.key(),
            account.createdAt().atOffset(ZoneOffset.UTC),
            UsernameRules.look(name));
  }

  /// Removes a way to sign in, unless it is the last usable one.
  Removal remove(String account, Usable usable, ToIntFunction<Db> delete) {
    try {
      return database.tx(
          db -> {
            // Two removals at the same time wait for each other.
            List<Row> locked = db.query(LOCK, account);
            if (locked.isEmpty() || delete.applyAsInt(db) == 0) {
              return Removal.UNKNOWN;
            }
            if (!locked.getFirst().getBoolean("password") && ways(db, account, usable) == 0) {
              throw new LastWay();
            }
            return Removal.REMOVED;
          });
    } catch (LastWay _) {
      return Removal.LAST;
    }
  }

  private static long ways(Db db, String account, Usable usable) {
    String[] providers = usable.providers().toArray(String[]::new);
    return db.query(COUNT, account, providers, usable.passkeys()).getFirst().getLong("ways");
  }

  /// Rolls a removal back.
  private static final class LastWay extends RuntimeException {
    @Serial private static final long serialVersionUID = 1L;

    LastWay() {
      super("the last way to sign in", null, false, false);
    }
  }
}
