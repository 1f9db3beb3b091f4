package fairgate.redeem.code;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.code.MerchantKeys.MerchantKey;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;

/// The table `merchant_keys`.
record PostgresMerchantKeys(PostgresDatabase database) {
  private static final String COLUMNS = "id, name, created_at, created_by, revoked_at";
  private static final String INSERT =
      "INSERT INTO merchant_keys (name, key_hash, created_by) VALUES ($1, $2, $3) RETURNING "
          + COLUMNS;
  private static final String FIND =
      "SELECT " + COLUMNS + " FROM merchant_keys WHERE key_hash = $1 AND revoked_at IS NULL";
  private static final String ALL =
      "SELECT " + COLUMNS + " FROM merchant_keys ORDER BY id DESC LIMIT 1000";
  private static final String REVOKE =
      "UPDATE merchant_keys SET revoked_at = coalesce(revoked_at, now()),"
          + " revoked_by = coalesce(revoked_by, $2) WHERE id = $1 RETURNING "
          + COLUMNS;

  MerchantKey insert(String name, byte[] hash, String actor) {
    return key(database.query(INSERT, name, Buffer.buffer(hash), actor).await().getFirst());
  }

  Optional<MerchantKey> find(byte[] hash) {
    return first(database.query(FIND, Buffer.buffer(hash)).await());
  }

  List<MerchantKey> all() {
    return database.query(ALL).await().stream().map(PostgresMerchantKeys::key).toList();
  }

  Optional<MerchantKey> revoke(long id, String actor) {
    return first(database.query(REVOKE, id, actor).await());
  }

  private static Optional<MerchantKey> first(List<Row> rows) {
    return rows.stream().findFirst().map(PostgresMerchantKeys::key);
  }

  private static MerchantKey key(Row row) {
    OffsetDateTime revoked = row.getOffsetDateTime("revoked_at");
    return new MerchantKey(
        row.getLong("id"),
        row.getString("name"),
        row.getOffsetDateTime("created_at").toInstant(),
        row.getString("created_by"),
        revoked == null ? null : revoked.toInstant());
  }
}
