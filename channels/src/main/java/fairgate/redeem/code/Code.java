package fairgate.redeem.code;

import fairgate.kernel.Word;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A code as operators and merchants see it: without its text.
///
/// @param last4 its last characters
/// @param generated false for a code from the seller
public record Code(
    long id,
    String productId,
    State state,
    String last4,
    boolean generated,
    Bound bound,
    Life life) {
  /// The order it belongs to; nulls for none.
  public record Bound(@Nullable String platform, @Nullable String orderId) {}

  /// Its validity and lifecycle.
  ///
  /// @param durationDays null = unlimited
  /// @param starts `claim` or `first_use`; null before the claim
  /// @param activatedBy keyed hash of the browser
  /// @param expiresAt null = never, or not before the first use
  /// @param replacedBy the id of the replacement
  public record Life(
      @Nullable Integer durationDays,
      @Nullable String starts,
      Instant createdAt,
      @Nullable Instant assignedAt,
      @Nullable Instant activatedAt,
      @Nullable String activatedBy,
      @Nullable Instant expiresAt,
      @Nullable Long replacedBy) {}

  /// One step of its life.
  ///
  /// @param from null for its birth
  public record Event(
      @Nullable State from, State to, String actor, @Nullable String reason, Instant at) {}

  /// Whether it is in use or may be taken into use at this time.
  public boolean isGood(Instant now) {
    Instant expiry = life.expiresAt();
    return (state == State.ASSIGNED || state == State.ACTIVATED)
        && (expiry == null || expiry.isAfter(now));
  }

  public enum State implements Word {
    /// A seller's own, waiting for its order's claim.
    AVAILABLE,
    /// Given to whoever claimed its order.
    ASSIGNED,
    ACTIVATED,
    EXPIRED,
    /// Withdrawn by an operator, or for a refund.
    REVOKED,
    REPLACED;

    public static State of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }
}
