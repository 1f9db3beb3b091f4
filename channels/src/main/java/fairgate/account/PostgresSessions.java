package fairgate.account;

import static fairgate.account.PostgresAccounts.instant;

import fairgate.kernel.SignedIn;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/// Sessions in PostgreSQL, which decides which of them live.
record PostgresSessions(PostgresDatabase database, Duration idle) {
  private static final String INSERT =
      """
      INSERT INTO account_sessions
        (id, account_id, token_hash, agent, created_at, seen_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $5, $6)
      """;

  /// Deletes expired sessions, and the oldest beyond the maximum per account.
  private static final String MAKE_ROOM =
      """
      DELETE FROM account_sessions WHERE account_id = $1 AND (expires_at <= $2 OR id IN
        (SELECT id FROM account_sessions WHERE account_id = $1 AND expires_at > $2
         ORDER BY created_at DESC, id OFFSET $3))
      RETURNING token_hash
      """;

  private static final String SEE =
      """
      UPDATE account_sessions SET seen_at = $2
      WHERE token_hash = $1 AND expires_at > $2 AND seen_at > $3
      RETURNING account_id, id, expires_at
      """;
  private static final String LIST =
      """
      SELECT id, agent, created_at, seen_at, expires_at FROM account_sessions
      WHERE account_id = $1 AND expires_at > $2 AND seen_at > $3
      ORDER BY created_at DESC, id
      """;
  private static final String HASHES =
      "SELECT id, token_hash FROM account_sessions WHERE account_id = $1";
  private static final String DELETE =
      "DELETE FROM account_sessions WHERE account_id = $1 AND id = $2";

  record Live(SignedIn who, Instant expiresAt) {}

  record Named(String id, String tokenHash) {}

  /// Adds a session and removes those beyond the maximum.
  ///
  /// @return the token hashes of the removed sessions
  Future<List<String>> add(
      String account, AccountService.Session session, String tokenHash, int max) {
    return database
        .query(
            INSERT,
            session.id(),
            account,
            tokenHash,
            session.agent(),
            at(session.createdAt()),
            at(session.expiresAt()))
        .compose(_ -> database.query(MAKE_ROOM, account, at(session.createdAt()), (long) max))
        .map(rows -> rows.stream().map(row -> row.getString("token_hash")).toList());
  }

  /// The session of a token, seen now; empty when there is none, or none any more.
  Future<Optional<Live>> see(String tokenHash, Instant now) {
    return database.queryFirst(
        SEE,
        row ->
            new Live(
                new SignedIn(row.getString("account_id"), row.getString("id")),
                instant(row, "expires_at")),
        tokenHash,
        at(now),
        at(now.minus(idle)));
  }

  /// The living sessions of an account, the newest first.
  Future<List<AccountService.Session>> list(String account, Instant now) {
    return database.queryList(
        LIST, PostgresSessions::session, account, at(now), at(now.minus(idle)));
  }

  Future<List<Named>> named(String account) {
    return database.queryList(
        HASHES, row -> new Named(row.getString("id"), row.getString("token_hash")), account);
  }

  Future<Void> delete(String account, String session) {
    return database.query(DELETE, account, session).mapEmpty();
  }

  private static AccountService.Session session(Row row) {
    return new AccountService.Session(
        row.getString("id"),
        row.getString("agent"),
        instant(row, "created_at"),
        instant(row, "seen_at"),
        instant(row, "expires_at"));
  }

  private static OffsetDateTime at(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
