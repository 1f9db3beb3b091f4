package fairgate.account.identity;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads accounts with a verified identity, for sales that count people by it.
public final class VerifiedIdentities {
  private final PostgresIdentities identities;

  public VerifiedIdentities(PostgresDatabase database) {
    this.identities = new PostgresIdentities(database);
  }

  /// An account and one of its identities.
  ///
  /// @param hash keyed hash of the identity; null when there is none of that kind
  /// @param verifiedAt null when there is none of that kind
  public record Verified(
      Instant accountSince, @Nullable String hash, @Nullable Instant verifiedAt) {}

  /// The account with its telephone; empty if there is no such account.
  public Future<Optional<Verified>> phoneOf(String account) {
    return identities.find(account, Identity.PHONE, "");
  }

  /// The account with its identity number for a sale; empty if there is no such account.
  ///
  /// @param event the product of the sale
  public Future<Optional<Verified>> numberOf(String account, String event) {
    return identities.find(account, Identity.NUMBER, event);
  }
}
