package fairgate.operator.access;

import fairgate.kernel.KeySeal;
import fairgate.kernel.Role;
import fairgate.operator.access.PostgresOperatorSessions.NewSession;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Operators in PostgreSQL, with their one-time links and recovery codes. All methods block.
final class PostgresOperators {
  private static final String INSERT =
      """
      INSERT INTO operators (id, name, name_key, role, created_at, created_by)
      SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM operators) < $7
      """;
  private static final String PUT_LINK =
      """
      INSERT INTO operator_links (operator_id, token_hash, expires_at) VALUES ($1, $2, $3)
      ON CONFLICT (operator_id) DO UPDATE SET token_hash = $2, expires_at = $3
      """;
  private static final String LIST =
      """
      SELECT o.id, o.name, o.role, o.password IS NOT NULL AS enrolled, o.created_at, o.created_by,
        o.signed_in_at, l.expires_at
      FROM operators o LEFT JOIN operator_links l ON l.operator_id = o.id
      """;
  private static final String ALL = LIST + " ORDER BY o.name_key";
  private static final String ONE = LIST + " WHERE o.id = $1";
  private static final String STORED =
      """
      SELECT o.id, o.name, o.name_key, o.role, o.password, o.totp_under, o.totp_box, o.wrong_codes
      FROM operators o
      """;
  private static final String BY_NAME = STORED + " WHERE o.name_key = $1";
  private static final String BY_ID = STORED + " WHERE o.id = $1";
  private static final String BY_LINK =
      STORED
          + " JOIN operator_links l ON l.operator_id = o.id"
          + " WHERE l.token_hash = $1 AND l.expires_at > $2";
  private static final String USE_LINK =
      "DELETE FROM operator_links WHERE operator_id = $1 AND token_hash = $2 AND expires_at > $3";
  private static final String ENROL =
      """
      UPDATE operators SET password = $2, totp_under = $3, totp_box = $4, totp_step = $5,
        wrong_codes = 0, signed_in_at = $6
      WHERE id = $1
      """;
  private static final String DROP_CODES =
      "DELETE FROM operator_recovery_codes WHERE operator_id = $1";
  private static final String ADD_CODES =
      """
      INSERT INTO operator_recovery_codes (operator_id, code_hash)
      SELECT $1, code FROM unnest($2::text[]) AS code
      """;
  private static final String HAS_CODE =
      "SELECT FROM operator_recovery_codes WHERE operator_id = $1 AND code_hash = $2";
  private static final String USE_CODE =
      "DELETE FROM operator_recovery_codes WHERE operator_id = $1 AND code_hash = $2";
  private static final String COUNT_WRONG_CODE =
      "UPDATE operators SET wrong_codes = wrong_codes + 1 WHERE id = $1";

  /// Fails to find the row when the password has changed or the code was used meanwhile.
  private static final String USE_STEP =
      """
      UPDATE operators SET totp_step = $3 WHERE id = $1 AND password = $2 AND totp_step < $3
      """;

  private static final String ENTERED =
      "UPDATE operators SET wrong_codes = 0, signed_in_at = $3 WHERE id = $1 AND password = $2";
  private static final String SET_PASSWORD =
      "UPDATE operators SET password = $3 WHERE id = $1 AND password = $2";
  private static final String SET_ROLE = "UPDATE operators SET role = $2 WHERE id = $1";
  private static final String DELETE = "DELETE FROM operators WHERE id = $1";

  /// Locks the rows, so that two changes at the same time cannot remove the last two owners.
  private static final String OWNERS =
      """
      SELECT id FROM operators WHERE role = 'owner' AND password IS NOT NULL
      ORDER BY id FOR UPDATE
      """;

  private final PostgresDatabase database;

  PostgresOperators(PostgresDatabase database) {
    this.database = database;
  }

  /// An operator with its credentials.
  ///
  /// @param password PHC string; null before the first link is used
  /// @param totp the sealed secret; null together with the password
  /// @param wrongCodes consecutive sign-ins with the right password and a wrong code
  record Stored(
      String id,
      String name,
      String nameKey,
      Role role,
      @Nullable String password,
      KeySeal.@Nullable Sealed totp,
      int wrongCodes) {
    /// Without the password's hash.
    @Override
    public String toString() {
      return "Stored[id=" + id + ", name=" + name + ", role=" + role + "]";
    }
  }

  /// A one-time link.
  record Link(String tokenHash, Instant expiresAt) {}

  /// New credentials.
  ///
  /// @param step of the first code
  /// @param recoveryHashes keyed hashes
  record Credentials(
      String password, KeySeal.Sealed totp, long step, List<String> recoveryHashes) {}

  /// The proof of the second factor.
  sealed interface Proof {
    /// A one-time code of this time step.
    record Step(long step) implements Proof {}

    /// A recovery code, by its keyed hash.
    record RecoveryCode(String hash) implements Proof {}
  }

  enum Added {
    DONE,
    TAKEN,
    FULL
  }

  enum Changed {
    DONE,
    UNKNOWN,
    LAST_OWNER
  }

  Added add(OperatorService.Entry operator, String nameKey, Link link, int max) {
    try {
      return database.tx(
          db -> {
            int added =
                db.update(
                    INSERT,
                    operator.id(),
                    operator.name(),
                    nameKey,
                    operator.role().word(),
                    at(operator.createdAt()),
                    operator.createdBy(),
                    max);
            if (added == 0) {
              return Added.FULL;
            }
            putLink(db, operator.id(), link);
            return Added.DONE;
          });
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        return Added.TAKEN;
      }
      throw refusal;
    }
  }

  /// Replaces the operator's link; false when there is no such operator.
  boolean putLink(String operator, Link link) {
    return database.tx(
        db -> {
          boolean known = !db.query(BY_ID, operator).isEmpty();
          if (known) {
            putLink(db, operator, link);
          }
          return known;
        });
  }

  private static void putLink(Db db, String operator, Link link) {
    db.update(PUT_LINK, operator, link.tokenHash(), at(link.expiresAt()));
  }

  List<OperatorService.Entry> all() {
    return database.query(ALL).await().stream().map(PostgresOperators::entry).toList();
  }

  Optional<OperatorService.Entry> one(String id) {
    return database.query(ONE, id).await().stream().findFirst().map(PostgresOperators::entry);
  }

  /// Whether some owner can sign in.
  boolean hasOwner() {
    return all().stream().anyMatch(each -> each.enrolled() && each.role() == Role.OWNER);
  }

  Optional<Stored> byName(String nameKey) {
    return first(database.query(BY_NAME, nameKey).await());
  }

  Optional<Stored> byId(String id) {
    return first(database.query(BY_ID, id).await());
  }

  Optional<Stored> byLink(String tokenHash, Instant now) {
    return first(database.query(BY_LINK, tokenHash, at(now)).await());
  }

  boolean hasRecoveryCode(String operator, String hash) {
    return !database.query(HAS_CODE, operator, hash).await().isEmpty();
  }

  void countWrongCode(String operator) {
    var _ = database.query(COUNT_WRONG_CODE, operator);
  }

  /// Uses the link up, sets the credentials, ends all sessions and opens a new one. False when the
  /// link has ended meanwhile.
  boolean enrol(String operator, String linkHash, Credentials credentials, NewSession session) {
    return database.tx(
        db -> {
          OffsetDateTime now = at(session.createdAt());
          if (db.update(USE_LINK, operator, linkHash, now) == 0) {
            return false;
          }
          db.update(
              ENROL,
              operator,
              credentials.password(),
              credentials.totp().under(),
              credentials.totp().box(),
              credentials.step(),
              now);
          db.update(DROP_CODES, operator);
          db.update(ADD_CODES, operator, credentials.recoveryHashes().toArray(String[]::new));
          PostgresOperatorSessions.endAll(db, operator, "");
          PostgresOperatorSessions.open(db, operator, session);
          return true;
        });
  }

  /// Uses the proof up and opens a session. False when the proof was used or the password has
  /// changed meanwhile.
  boolean enter(Stored operator, Proof proof, NewSession session) {
    return database.tx(
        db -> {
          if (!use(db, operator, proof)) {
            return false;
          }
          int entered =
              db.update(ENTERED, operator.id(), operator.password(), at(session.createdAt()));
          if (entered == 0) {
            return false;
          }
          PostgresOperatorSessions.open(db, operator.id(), session);
          return true;
        });
  }

  /// Uses the proof up, sets the password and ends all other sessions.
  boolean changePassword(Stored operator, Proof proof, String password, String keptSession) {
    return database.tx(
        db -> {
          if (!use(db, operator, proof)
              || db.update(SET_PASSWORD, operator.id(), operator.password(), password) == 0) {
            return false;
          }
          PostgresOperatorSessions.endAll(db, operator.id(), keptSession);
          return true;
        });
  }

  private static boolean use(Db db, Stored operator, Proof proof) {
    return switch (proof) {
      case Proof.Step(long step) ->
          db.update(USE_STEP, operator.id(), operator.password(), step) > 0;
      case Proof.RecoveryCode(String hash) -> db.update(USE_CODE, operator.id(), hash) > 0;
    };
  }

  /// Sets the role, ends all sessions and revokes the tokens that permit more than the role.
  Changed changeRole(String id, Role role) {
    return database.tx(
        db -> {
          if (role != Role.OWNER && isLastOwner(db, id)) {
            return Changed.LAST_OWNER;
          }
          if (db.update(SET_ROLE, id, role.word()) == 0) {
            return Changed.UNKNOWN;
          }
          PostgresOperatorSessions.endAll(db, id, "");
          PostgresOperatorSessions.revokeTokensBeyond(db, id, role);
          return Changed.DONE;
        });
  }

  /// Removes the operator with all sessions and tokens.
  Changed remove(String id) {
    return database.tx(
        db -> {
          if (isLastOwner(db, id)) {
            return Changed.LAST_OWNER;
          }
          return db.update(DELETE, id) == 0 ? Changed.UNKNOWN : Changed.DONE;
        });
  }

  private static boolean isLastOwner(Db db, String id) {
    List<Row> owners = db.query(OWNERS);
    return owners.size() == 1 && owners.getFirst().getString("id").equals(id);
  }

  private static Optional<Stored> first(List<Row> rows) {
    return rows.stream().findFirst().map(PostgresOperators::stored);
  }

  private static Stored stored(Row row) {
    String box = row.getString("totp_box");
    return new Stored(
        row.getString("id"),
        row.getString("name"),
        row.getString("name_key"),
        Role.named(row.getString("role")).orElseThrow(),
        row.getString("password"),
        box == null ? null : new KeySeal.Sealed(row.getString("totp_under"), box),
        row.getInteger("wrong_codes"));
  }

  private static OperatorService.Entry entry(Row row) {
    return new OperatorService.Entry(
        row.getString("id"),
        row.getString("name"),
        Role.named(row.getString("role")).orElseThrow(),
        row.getBoolean("enrolled"),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getString("created_by"),
        instant(row, "signed_in_at"),
        instant(row, "expires_at"));
  }

  static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime time = row.getOffsetDateTime(column);
    return time == null ? null : time.toInstant();
  }

  static OffsetDateTime at(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
