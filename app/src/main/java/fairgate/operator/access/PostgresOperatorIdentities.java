package fairgate.operator.access;

import static fairgate.operator.access.PostgresOperators.at;

import fairgate.operator.access.PostgresOperatorSessions.NewSession;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The people of the operators' identity provider, by a keyed hash, in PostgreSQL. All methods
/// block.
final class PostgresOperatorIdentities {
  /// SQLSTATE of a violated foreign key.
  private static final String NO_SUCH_ROW = "23503";

  private static final String FIND =
      """
      SELECT o.id, o.name, o.role FROM operator_identities i
      LEFT JOIN operators o ON o.id = i.operator_id WHERE i.subject_hash = $1
      """;

  /// Changes nothing when the person belongs to another operator.
  private static final String LINK =
      """
      INSERT INTO operator_identities (subject_hash, operator_id, linked_at) VALUES ($1, $2, $3)
      ON CONFLICT (subject_hash) DO UPDATE SET operator_id = $2, linked_at = $3
      WHERE operator_identities.operator_id IS NULL OR operator_identities.operator_id = $2
      """;

  private static final String IS_LINKED = "SELECT FROM operator_identities WHERE operator_id = $1";

  /// Changes nothing for an operator without a password, who could not sign in any more.
  private static final String UNLINK =
      """
      UPDATE operator_identities SET operator_id = NULL WHERE operator_id =
        (SELECT id FROM operators WHERE id = $1 AND password IS NOT NULL FOR UPDATE)
      """;

  private static final String INSERT_OPERATOR =
      """
      INSERT INTO operators (id, name, name_key, role, created_at, created_by)
      SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM operators) < $7
      """;
  private static final String INSERT_IDENTITY =
      "INSERT INTO operator_identities (subject_hash, operator_id, linked_at) VALUES ($1, $2, $3)";
  private static final String ENTERED = "UPDATE operators SET signed_in_at = $2 WHERE id = $1";

  private final PostgresDatabase database;

  PostgresOperatorIdentities(PostgresDatabase database) {
    this.database = database;
  }

  /// The state of a person of the provider.
  sealed interface Identity {
    /// The person has not been here.
    record Unknown() implements Identity {}

    /// The operator was removed, or the link was.
    record Removed() implements Identity {}

    record Linked(String operator, String name) implements Identity {}
  }

  enum Created {
    DONE,
    /// The name or the person has just been taken.
    TAKEN,
    FULL
  }

  Identity find(String subjectHash) {
    Optional<Row> row = database.query(FIND, subjectHash).await().stream().findFirst();
    if (row.isEmpty()) {
      return new Identity.Unknown();
    }
    String operator = row.get().getString("id");
    return operator == null
        ? new Identity.Removed()
        : new Identity.Linked(operator, row.get().getString("name"));
  }

  /// Links a person to an operator; false when the person belongs to another operator, or the
  /// operator to another person, or when there is no such operator.
  boolean link(String subjectHash, String operator, Instant now) {
    try {
      return database.tx(db -> db.update(LINK, subjectHash, operator, at(now)) > 0);
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate() || refusal.sqlState().equals(NO_SUCH_ROW)) {
        return false;
      }
      throw refusal;
    }
  }

  boolean isLinked(String operator) {
    return !database.query(IS_LINKED, operator).await().isEmpty();
  }

  /// Whether the operator had a link that is removed now.
  boolean unlink(String operator) {
    return database.tx(db -> db.update(UNLINK, operator) > 0);
  }

  /// Adds an operator without a password together with the link.
  Created create(OperatorService.Entry operator, String nameKey, String subjectHash, int max) {
    try {
      return database.tx(db -> create(db, operator, nameKey, subjectHash, max));
    } catch (PostgresRefusal refusal) {
      if (refusal.duplicate()) {
        return Created.TAKEN;
      }
      throw refusal;
    }
  }

  private static Created create(
      Db db, OperatorService.Entry operator, String nameKey, String subjectHash, int max) {
    int added =
        db.update(
            INSERT_OPERATOR,
            operator.id(),
            operator.name(),
            nameKey,
            operator.role().word(),
            at(operator.createdAt()),
            operator.createdBy(),
            max);
    if (added == 0) {
      return Created.FULL;
    }
    db.update(INSERT_IDENTITY, subjectHash, operator.id(), at(operator.createdAt()));
    return Created.DONE;
  }

  /// Opens a session; false when the link has ended meanwhile.
  boolean enter(String subjectHash, String operator, NewSession session) {
    return database.tx(
        db -> {
          List<Row> rows = db.query(FIND, subjectHash);
          boolean isLinked =
              rows.stream().anyMatch(row -> operator.equals(row.getString("id")))
                  && db.update(ENTERED, operator, at(session.createdAt())) > 0;
          if (isLinked) {
            PostgresOperatorSessions.open(db, operator, session);
          }
          return isLinked;
        });
  }
}
