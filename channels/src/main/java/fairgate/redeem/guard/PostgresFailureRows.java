package fairgate.redeem.guard;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The table `order_verification_failures`. Blocks.
record PostgresFailureRows(PostgresDatabase database) {
  private static final String INSERT =
      """
      INSERT INTO order_verification_failures
        (order_hash, product_id, device_id, ip_address, failure_reason, attempted_at)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
        $6::timestamptz[])
      """;
  private static final String LIST =
      """
      SELECT id, order_hash, product_id, device_id, ip_address, failure_reason, attempted_at
      FROM order_verification_failures
      WHERE id < $3 AND ($1::text IS NULL OR ip_address = $1)
        AND ($2::text IS NULL OR order_hash = $2)
      ORDER BY id DESC LIMIT $4
      """;
  private static final String DELETE =
      """
      WITH gone AS (
        DELETE FROM order_verification_failures WHERE id IN (
          SELECT id FROM order_verification_failures WHERE attempted_at < $1
          ORDER BY attempted_at LIMIT $2)
        RETURNING 1)
      SELECT count(*) FROM gone
      """;

  void insert(List<FailureLog.Failure> failures) {
    var _ =
        database
            .query(
                INSERT,
                texts(failures, FailureLog.Failure::orderHash),
                texts(failures, FailureLog.Failure::productId),
                texts(failures, FailureLog.Failure::deviceId),
                texts(failures, FailureLog.Failure::address),
                texts(failures, FailureLog.Failure::reason),
                failures.stream().map(f -> utc(f.at())).toArray(OffsetDateTime[]::new))
            .await();
  }

  List<FailureLog.StoredFailure> list(
      @Nullable String address, @Nullable String orderHash, long before, int max) {
    return database.query(LIST, address, orderHash, before, max).await().stream()
        .map(PostgresFailureRows::kept)
        .toList();
  }

  int deleteBefore(Instant time, int max) {
    return database.query(DELETE, utc(time), max).await().getFirst().getInteger(0);
  }

  private static FailureLog.StoredFailure kept(Row row) {
    return new FailureLog.StoredFailure(
        row.getLong("id"),
        new FailureLog.Failure(
            row.getString("order_hash"),
            String.valueOf(row.getString("product_id")),
            String.valueOf(row.getString("device_id")),
            String.valueOf(row.getString("ip_address")),
            row.getString("failure_reason"),
            row.getOffsetDateTime("attempted_at").toInstant()));
  }

  private static Object texts(
      List<FailureLog.Failure> failures, Function<FailureLog.Failure, String> column) {
    return failures.stream().map(column).toArray(String[]::new);
  }

  private static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
