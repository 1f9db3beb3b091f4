package fairgate.account.identity;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads accounts with a verified identity, for sales that count people by it.
public final class VerifiedIdentities {
  private static final String FIND =
      """
      SELECT a.created_at, i.hash, i.verified_at FROM accounts a
      LEFT JOIN account_identities i ON i.account_id = a.id AND i.kind = $2 AND i.event = $3
      WHERE a.id = $1
      """;

  private final PostgresDatabase database;

  public VerifiedIdentities(PostgresDatabase database) {
    this.database = database;
  }

  /// An account and one of its identities.
  ///
  /// @param hash keyed hash of the identity; null when there is none of that kind
  /// @param verifiedAt null when there is none of that kind
  public record Verified(
      Instant accountSince, @Nullable String hash, @Nullable Instant verifiedAt) {}

  /// The account with its telephone; empty if there is no such account.
  public Future<Optional<Verified>> phoneOf(String account) {
    return find(account, Identity.PHONE, "");
  }

  /// The account with its identity number for a sale; empty if there is no such account.
  ///
  /// @param event the product of the sale
  public Future<Optional<Verified>> numberOf(String account, String event) {
    return find(account, Identity.NUMBER, event);
  }

  private Future<Optional<Verified>> find(String account, String kind, String event) {
    return database
        .query(FIND, account, kind, event)
        .map(rows -> rows.stream().findFirst().map(VerifiedIdentities::verified));
  }

  private static Verified verified(Row row) {
    OffsetDateTime verifiedAt = row.getOffsetDateTime("verified_at");
    return new Verified(
        row.getOffsetDateTime("created_at").toInstant(),
        row.getString("hash"),
        verifiedAt == null ? null : verifiedAt.toInstant());
  }
}
