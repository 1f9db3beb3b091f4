package fairgate.account.message;

import fairgate.account.message.MessageOutbox.Letter;
import fairgate.account.message.MessageOutbox.NewMessage;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// The table `code_messages`. A sender takes a row by moving its next try ahead, in one short
/// transaction that skips locked rows. Times are those of PostgreSQL. Blocks: for virtual threads.
record PostgresMessages(PostgresDatabase database) {
  private static final String REPLACE =
      """
      DELETE FROM code_messages WHERE subject = $1
      RETURNING id, sealed_under, sealed, in_doubt
      """;
  private static final String ADD =
      """
      INSERT INTO code_messages (id, channel, subject, sealed_under, sealed, expires_at)
      SELECT $1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond'
      WHERE (SELECT count(*) FROM code_messages) < $7
      RETURNING EXISTS (SELECT FROM code_messages o WHERE o.channel = $2 AND o.postponed) AS late
      """;
  private static final String ADD_LETTER =
      """
      INSERT INTO code_messages (id, channel, subject, sealed_under, sealed, expires_at)
      VALUES ($1, 'email', $1, $2, $3, now() + $4 * interval '1 millisecond')
      """;
  private static final String TAKE =
      """
      WITH next AS MATERIALIZED (
        SELECT id, in_doubt FROM code_messages
        WHERE channel = $1 AND next_try_at <= now()
          AND expires_at > now() + $3 * interval '1 millisecond'
        ORDER BY next_try_at LIMIT $2 FOR UPDATE SKIP LOCKED)
      UPDATE code_messages m
      SET tries = tries + 1, in_doubt = true, next_try_at = now() + $4 * interval '1 millisecond'
      FROM next WHERE m.id = next.id
      RETURNING m.id, m.sealed_under, m.sealed, m.tries, m.created_at, m.expires_at, next.in_doubt
      """;
  private static final String REMOVE = "DELETE FROM code_messages WHERE id = $1";
  private static final String POSTPONE =
      """
      UPDATE code_messages
      SET postponed = true, in_doubt = $3, next_try_at = now() + $2 * interval '1 millisecond'
      WHERE id = $1
      """;
  private static final String EXPIRE =
      """
      DELETE FROM code_messages WHERE id IN (
        SELECT id FROM code_messages WHERE expires_at <= now()
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
      RETURNING id, sealed_under, sealed, in_doubt
      """;
  private static final String WAITING = "SELECT count(*) AS n FROM code_messages";

  /// A message to send.
  ///
  /// @param tries how often it was taken, this time included
  /// @param inDoubt whether an earlier try may have succeeded
  record Due(
      String id, Sealed box, int tries, Instant createdAt, Instant expiresAt, boolean inDoubt) {}

  /// A message that left the table before it was sent.
  ///
  /// @param inDoubt whether a try may have succeeded
  record Dropped(String id, Sealed box, boolean inDoubt) {}

  /// The result of adding a message.
  ///
  /// @param added false if the table is full
  /// @param late whether messages of the channel wait after failed tries
  /// @param replaced earlier messages of the subject, which were removed
  record Added(boolean added, boolean late, List<Dropped> replaced) {}

  record Bounds(Duration life, int max) {}

  Added add(NewMessage message, Sealed box, Bounds bounds) {
    return database.tx(
        db -> {
          List<Dropped> replaced = dropped(db.query(REPLACE, message.subject()));
          List<Row> rows =
              db.query(
                  ADD,
                  message.id(),
                  message.channel().wireName(),
                  message.subject(),
                  box.under(),
                  box.box(),
                  (double) bounds.life().toMillis(),
                  bounds.max());
          return new Added(
              !rows.isEmpty(), !rows.isEmpty() && rows.getFirst().getBoolean("late"), replaced);
        });
  }

  /// Adds a letter unless its claim fails. False if the table is full; then the claim is not asked.
  boolean add(Letter letter, Sealed box, Bounds bounds, Predicate<Db> claim) {
    return database.tx(
        db -> {
          if (db.query(WAITING).getFirst().getLong("n") >= bounds.max()) {
            return false;
          }
          if (claim.test(db)) {
            db.update(
                ADD_LETTER, letter.id(), box.under(), box.box(), (double) bounds.life().toMillis());
          }
          return true;
        });
  }

  /// Takes due messages. No node gets one of them again before the lease ends.
  ///
  /// @param rest messages with less life than this are left to expire
  List<Due> take(Channel channel, int max, Duration rest, Duration lease) {
    return database.list(
        TAKE,
        PostgresMessages::due,
        channel.wireName(),
        max,
        (double) rest.toMillis(),
        (double) lease.toMillis());
  }

  void remove(Due due) {
    int _ = database.update(REMOVE, due.id());
  }

  /// @param inDoubt whether a try may have succeeded
  void postpone(Due due, Duration wait, boolean inDoubt) {
    int _ = database.update(POSTPONE, due.id(), (double) wait.toMillis(), inDoubt);
  }

  /// Removes expired messages, the oldest first.
  List<Dropped> expire(int max) {
    return dropped(database.rows(EXPIRE, max));
  }

  long waiting() {
    return database.rows(WAITING).getFirst().getLong("n");
  }

  private static Due due(Row row) {
    return new Due(
        row.getString("id"),
        box(row),
        row.getInteger("tries"),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getOffsetDateTime("expires_at").toInstant(),
        row.getBoolean("in_doubt"));
  }

  private static List<Dropped> dropped(List<Row> rows) {
    List<Dropped> dropped = new ArrayList<>();
    for (Row row : rows) {
      dropped.add(new Dropped(row.getString("id"), box(row), row.getBoolean("in_doubt")));
    }
    return dropped;
  }

  private static Sealed box(Row row) {
    return new Sealed(row.getString("sealed_under"), row.getString("sealed"));
  }
}
