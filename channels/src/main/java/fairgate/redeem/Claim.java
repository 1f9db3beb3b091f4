package fairgate.redeem;

import fairgate.redeem.code.CodeVault.Sealed;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A claim that passed all checks, ready to be written.
///
/// @param device keyed hash of the browser
/// @param code the code that was drawn for it, sealed; a seller's own code goes before it
record Claim(
    String platform,
    String orderId,
    String productId,
    ClaimRequest.Claimant claimant,
    String device,
    Terms terms,
    Sealed code,
    Instant now) {
  /// What the code is good for.
  ///
  /// @param starts `claim` or `first_use`
  /// @param sellersOnly whether the order gets no code rather than a generated one
  record Terms(
      @Nullable Integer durationDays,
      String starts,
      @Nullable Instant expiresAt,
      boolean sellersOnly) {}

  Claim withCode(Sealed other) {
    return new Claim(platform, orderId, productId, claimant, device, terms, other, now);
  }
}
