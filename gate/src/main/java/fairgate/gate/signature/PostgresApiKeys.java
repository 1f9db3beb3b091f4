package fairgate.gate.signature;

import fairgate.gate.signature.ApiKeys.ApiKey;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The table `api_keys`.
record PostgresApiKeys(PostgresDatabase database) {
  static final String STAMP =
      """
      SELECT count(*) || ' ' || count(revoked_at) || ' ' || coalesce(max(changed_at)::text, '') AS stamp FROM api_keys
      """;
  private static final String ALL =
      """
      SELECT key_id, name, created_at, created_by, expires_at, revoked_at, sealed_under, sealed
      FROM api_keys ORDER BY created_at, key_id
      """;
  private static final String COUNT =
      "SELECT count(*)::int AS n FROM api_keys WHERE revoked_at IS NULL";
  private static final String INSERT =
      """
      INSERT INTO api_keys (key_id, name, created_by, expires_at, sealed_under, sealed)
      VALUES ($1, $2, $3, $4, $5, $6) RETURNING created_at
      """;
  private static final String REVOKE =
      """
      UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()),
        revoked_by = coalesce(revoked_by, $2), changed_at = clock_timestamp()
      WHERE key_id = $1
      RETURNING key_id, name, created_at, created_by, expires_at, revoked_at
      """;

  record Stored(ApiKey key, Sealed secret) {}

  /// A text that differs after every change.
  Future<String> stamp() {
    return database.query(STAMP).map(rows -> rows.getFirst().getString("stamp"));
  }

  Future<List<Stored>> all() {
    return database.queryList(ALL, PostgresApiKeys::stored);
  }

  /// Adds a key; empty when the limit of live keys is reached. Blocks.
  Optional<ApiKey> add(
      String id, String name, String actor, @Nullable Instant expiresAt, Sealed secret, int max) {
    return database.tx(
        db -> {
          if (db.query(COUNT).getFirst().getInteger("n") >= max) {
            return Optional.empty();
          }
          Row row =
              db.query(
                      INSERT,
                      id,
                      name,
                      actor,
                      expiresAt == null ? null : expiresAt.atOffset(ZoneOffset.UTC),
                      secret.under(),
                      secret.box())
                  .getFirst();
          return Optional.of(
              new ApiKey(
                  id, name, instant(row, "created_at").orElseThrow(), actor, expiresAt, null));
        });
  }

  /// Revokes a key. A repeat changes nothing. Empty when there is no such key. Blocks.
  Optional<ApiKey> revoke(String id, String actor) {
    return database.rows(REVOKE, id, actor).stream().map(PostgresApiKeys::key).findFirst();
  }

  private static Stored stored(Row row) {
    return new Stored(key(row), new Sealed(row.getString("sealed_under"), row.getString("sealed")));
  }

  private static ApiKey key(Row row) {
    return new ApiKey(
        row.getString("key_id"),
        row.getString("name"),
        instant(row, "created_at").orElseThrow(),
        row.getString("created_by"),
        instant(row, "expires_at").orElse(null),
        instant(row, "revoked_at").orElse(null));
  }

  private static Optional<Instant> instant(Row row, String column) {
    return Optional.ofNullable(row.getOffsetDateTime(column)).map(OffsetDateTime::toInstant);
  }
}
