package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.redeem.code.CodeVault.Sealed;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Encrypts codes under an old key again with the current key, 500 per batch.
record PostgresCodeKeyRotation(PostgresDatabase database, CodeVault vault) {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresCodeKeyRotation.class);
  private static final int MAX_BATCH_SIZE = 500;
  private static final String OLD =
      """
      SELECT id, key_id, code_hash, code_box FROM redemption_codes
      WHERE id > $1 AND key_id = ANY($2::text[]) ORDER BY id LIMIT $3
      """;
  private static final String SEAL =
      """
      UPDATE redemption_codes c SET code_hash = n.hash, code_box = n.box, key_id = $5
      FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[]) AS n (id, hash, box, old)
      WHERE c.id = n.id AND c.code_hash = n.old
      """;
  private static final String COUNT = "SELECT count(*) FROM redemption_codes WHERE key_id <> $1";
  private static final String UNREADABLE =
      """
      SELECT key_id, count(*) FROM redemption_codes WHERE key_id <> ALL ($1::text[])
      GROUP BY key_id
      """;

  /// Seals everything under the current key that lies under another key of the server; how many.
  int renew() {
    if (vault.oldKeys().isEmpty()) {
      return 0;
    }
    long last = 0;
    int done = 0;
    List<Row> rows;
    do {
      Object old = vault.oldKeys().toArray(String[]::new);
      rows = database.query(OLD, last, old, MAX_BATCH_SIZE).await();
      if (!rows.isEmpty()) {
        done += renew(rows);
        last = rows.getLast().getLong(0);
      }
    } while (rows.size() == MAX_BATCH_SIZE);
    return done;
  }

  /// How many codes lie under another key than the current one.
  long left() {
    return database.query(COUNT, vault.currentKey()).await().getFirst().getLong(0);
  }

  /// The keys that codes lie under and that the server does not have, and how many each.
  Map<String, Long> unreadable() {
    Map<String, Long> counts = new TreeMap<>();
    database
        .query(UNREADABLE, (Object) vault.keys().toArray(String[]::new))
        .await()
        .forEach(row -> counts.put(row.getString(0), row.getLong(1)));
    return counts;
  }

  private int renew(List<Row> rows) {
    try {
      return seal(rows);
    } catch (PostgresRefusal e) {
      if (!e.duplicate()) {
        throw e;
      }
    }
    int done = 0;
    for (Row row : rows) {
      try {
        done += seal(List.of(row));
      } catch (PostgresRefusal e) {
        LOG.error(
            "A code is stored twice, under two keys; revoke one; codeId={}", row.getLong(0), e);
      }
    }
    return done;
  }

  private int seal(List<Row> rows) {
    List<Sealed> fresh = new ArrayList<>();
    for (Row row : rows) {
      byte[] hash = row.getBuffer(2).getBytes();
      fresh.add(vault.seal(vault.open(row.getString(1), hash, row.getBuffer(3).getBytes())));
    }
    return database.update(
        SEAL,
        rows.stream().map(row -> row.getLong(0)).toArray(Long[]::new),
        fresh.stream().map(one -> Buffer.buffer(one.hash())).toArray(Buffer[]::new),
        fresh.stream().map(one -> Buffer.buffer(one.box())).toArray(Buffer[]::new),
        rows.stream().map(row -> row.getBuffer(2)).toArray(Buffer[]::new),
        vault.currentKey());
  }
}
