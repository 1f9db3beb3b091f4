package fairgate.redeem;

import fairgate.redeem.code.CodeVault.Sealed;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A claim that passed all checks, ready to be written.
///
/// @param device keyed hash of the browser
/// @param code the encrypted code generated for it; a seller's own code has priority
record Claim(
    String platform,
    String orderId,
    String productId,
    ClaimRequest.Claimant claimant,
    String device,
    Validity terms,
    Sealed code,
    Instant now) {
  /// The validity of the code.
  ///
  /// @param starts `claim` or `first_use`
  /// @param sellersOnly whether an order without a seller's code gets none instead of a generated
  ///   one
  record Validity(
      @Nullable Integer durationDays,
      String starts,
      @Nullable Instant expiresAt,
      boolean sellersOnly) {}
}
