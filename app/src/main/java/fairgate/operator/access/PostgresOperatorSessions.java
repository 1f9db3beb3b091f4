package fairgate.operator.access;

import static fairgate.operator.access.PostgresOperators.at;
import static fairgate.operator.access.PostgresOperators.instant;

import fairgate.kernel.Role;
import fairgate.operator.access.OperatorCredentials.PersonalToken;
import fairgate.operator.access.OperatorCredentials.Session;
import fairgate.platform.admin.Operator;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Sessions and personal tokens of operators in PostgreSQL. All methods block.
final class PostgresOperatorSessions {
  /// Times of use are exact to this.
  private static final Duration SEEN = Duration.ofMinutes(1);

  private static final int MOST_SESSIONS = 10;

  private static final String INSERT =
      """
      INSERT INTO operator_sessions
        (id, operator_id, token_hash, agent, created_at, seen_at, expires_at)
      VALUES ($1, $2, $3, $4, $5, $5, $6)
      """;

  /// Deletes expired sessions, and the oldest beyond the maximum per operator.
  private static final String MAKE_ROOM =
      """
      DELETE FROM operator_sessions WHERE operator_id = $1 AND (expires_at <= $2 OR id IN
        (SELECT id FROM operator_sessions WHERE operator_id = $1 AND expires_at > $2
         ORDER BY created_at DESC, id OFFSET $3))
      """;

  private static final String FIND_SESSION =
      """
      SELECT o.id AS operator_id, o.name, o.role, s.id, s.seen_at
      FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
      WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.seen_at > $3
      """;
  private static final String SEE_SESSION =
      "UPDATE operator_sessions SET seen_at = $2 WHERE id = $1 AND seen_at < $2";
  private static final String SESSIONS =
      """
      SELECT id, operator_id, agent, created_at, seen_at, expires_at FROM operator_sessions
      WHERE operator_id = $1 AND expires_at > $2 AND seen_at > $3 ORDER BY created_at DESC, id
      """;
  private static final String END_OTHERS =
      "DELETE FROM operator_sessions WHERE operator_id = $1 AND id <> $2";
  private static final String END_OWN =
      "DELETE FROM operator_sessions WHERE id = $1 AND operator_id = $2";

  private static final String ADD_TOKEN =
      """
      INSERT INTO operator_tokens (id, operator_id, name, token_hash, role, created_at, expires_at)
      SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM operator_tokens
        WHERE operator_id = $2 AND revoked_at IS NULL AND expires_at > $6) < $8
      """;

  /// Ended tokens stay in the list for some time.
  private static final String FORGET_TOKENS =
      """
      DELETE FROM operator_tokens
      WHERE operator_id = $1 AND (expires_at < $2 OR revoked_at < $2)
      """;

  private static final String FIND_TOKEN =
      """
      SELECT o.id AS operator_id, o.name, o.role AS operator_role, t.id, t.role, t.used_at
      FROM operator_tokens t JOIN operators o ON o.id = t.operator_id
      WHERE t.token_hash = $1 AND t.expires_at > $2 AND t.revoked_at IS NULL
      """;
  private static final String USE_TOKEN =
      """
      UPDATE operator_tokens SET used_at = $2 WHERE id = $1 AND (used_at IS NULL OR used_at < $2)
      """;
  private static final String TOKEN_COLUMNS =
      "SELECT id, operator_id, name, role, created_at, expires_at, used_at, revoked_at"
          + " FROM operator_tokens";
  private static final String TOKENS =
      TOKEN_COLUMNS + " WHERE operator_id = $1 ORDER BY created_at DESC, id";
  private static final String ONE_TOKEN = TOKEN_COLUMNS + " WHERE id = $1";
  private static final String REVOKE =
      "UPDATE operator_tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1";
  private static final String REVOKE_BEYOND =
      """
      UPDATE operator_tokens SET revoked_at = now()
      WHERE operator_id = $1 AND revoked_at IS NULL AND NOT role = ANY ($2::text[])
      """;

  private final PostgresDatabase database;
  private final Duration idle;

  PostgresOperatorSessions(PostgresDatabase database, Duration idle) {
    this.database = database;
    this.idle = idle;
  }

  /// A session to be opened.
  ///
  /// @param tokenHash the stored form of its token
  /// @param agent the `User-Agent`, shortened
  record NewSession(
      String id, String tokenHash, String agent, Instant createdAt, Instant expiresAt) {}

  static void open(Db db, String operator, NewSession session) {
    db.update(
        INSERT,
        session.id(),
        operator,
        session.tokenHash(),
        session.agent(),
        at(session.createdAt()),
        at(session.expiresAt()));
    db.update(MAKE_ROOM, operator, at(session.createdAt()), (long) MOST_SESSIONS);
  }

  /// Ends the operator's sessions.
  ///
  /// @param kept the id of a session that stays; empty for none
  static void endAll(Db db, String operator, String kept) {
    db.update(END_OTHERS, operator, kept);
  }

  static void revokeTokensBeyond(Db db, String operator, Role role) {
    String[] permitted =
        Arrays.stream(Role.values()).filter(role::includes).map(Role::word).toArray(String[]::new);
    db.update(REVOKE_BEYOND, operator, permitted);
  }

  /// The operator of a live session, which has been seen now.
  Optional<Operator> bySession(String tokenHash, Instant now) {
    return database.query(FIND_SESSION, tokenHash, at(now), at(now.minus(idle))).await().stream()
        .findFirst()
        .map(
            row -> {
              if (isOld(row, "seen_at", now)) {
                // Not waited for. If it fails, the next request repeats it.
                var _ = database.query(SEE_SESSION, row.getString("id"), at(now));
              }
              return new Operator(
                  row.getString("operator_id"),
                  row.getString("name"),
                  Role.named(row.getString("role")).orElseThrow(),
                  Operator.Means.SESSION,
                  row.getString("id"));
            });
  }

  /// The operator of a live token, which is used now. Empty when the token permits more than its
  /// operator's role.
  Optional<Operator> byToken(String tokenHash, Instant now) {
    Optional<Row> found =
        database.query(FIND_TOKEN, tokenHash, at(now)).await().stream().findFirst();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Row row = found.get();
    Role role = Role.named(row.getString("role")).orElseThrow();
    if (!Role.named(row.getString("operator_role")).orElseThrow().includes(role)) {
      return Optional.empty();
    }
    if (isOld(row, "used_at", now)) {
      var _ = database.query(USE_TOKEN, row.getString("id"), at(now));
    }
    return Optional.of(
        new Operator(
            row.getString("operator_id"), row.getString("name"), role, Operator.Means.TOKEN, null));
  }

  private static boolean isOld(Row row, String column, Instant now) {
    Instant time = instant(row, column);
    return time == null || time.isBefore(now.minus(SEEN));
  }

  List<Session> sessions(String operator, Instant now) {
    return database.query(SESSIONS, operator, at(now), at(now.minus(idle))).await().stream()
        .map(PostgresOperatorSessions::session)
        .toList();
  }

  /// Ends a session of this operator; false when the operator has no such session.
  boolean endOwn(String operator, String session) {
    return database.<Boolean>tx(db -> db.update(END_OWN, session, operator) > 0);
  }

  void endAll(String operator) {
    var _ = database.query(END_OTHERS, operator, "").await();
  }

  /// Adds a token; false when the operator has too many live ones.
  boolean addToken(PersonalToken token, String tokenHash, Duration kept, int max) {
    return database.<Boolean>tx(
        db -> {
          db.update(FORGET_TOKENS, token.operatorId(), at(token.createdAt().minus(kept)));
          return db.update(
                  ADD_TOKEN,
                  token.id(),
                  token.operatorId(),
                  token.name(),
                  tokenHash,
                  token.role().word(),
                  at(token.createdAt()),
                  at(token.expiresAt()),
                  max)
              > 0;
        });
  }

  List<PersonalToken> tokens(String operator) {
    return database.query(TOKENS, operator).await().stream()
        .map(PostgresOperatorSessions::token)
        .toList();
  }

  Optional<PersonalToken> token(String id) {
    return database.query(ONE_TOKEN, id).await().stream()
        .findFirst()
        .map(PostgresOperatorSessions::token);
  }

  void revoke(String token, Instant now) {
    var _ = database.query(REVOKE, token, at(now)).await();
  }

  private static Session session(Row row) {
    return new Session(
        row.getString("id"),
        row.getString("operator_id"),
        row.getString("agent"),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getOffsetDateTime("seen_at").toInstant(),
        row.getOffsetDateTime("expires_at").toInstant());
  }

  private static PersonalToken token(Row row) {
    return new PersonalToken(
        row.getString("id"),
        row.getString("operator_id"),
        row.getString("name"),
        Role.named(row.getString("role")).orElseThrow(),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getOffsetDateTime("expires_at").toInstant(),
        instant(row, "used_at"),
        instant(row, "revoked_at"));
  }
}
