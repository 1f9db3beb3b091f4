package fairgate.redeem;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What a claim came to.
public sealed interface ClaimOutcome {
  /// The code is the caller's.
  ///
  /// @param expiresAt null = never, or not before the first use
  /// @param durationDays null = for ever
  /// @param replayed whether this device was given it before
  record Claimed(
      String code, @Nullable Instant expiresAt, @Nullable Integer durationDays, boolean replayed)
      implements ClaimOutcome {}

  /// The order's number does not look like one of the platform's, or of any.
  record NoOrderNumber() implements ClaimOutcome {}

  /// Orders of several platforms have this number; the caller has to name the platform.
  record Ambiguous(java.util.List<String> platforms) implements ClaimOutcome {}

  /// The caller tries too often.
  record Limited(Duration retryAfter) implements ClaimOutcome {}

  /// The caller is barred for guessing.
  record Banned(Duration retryAfter) implements ClaimOutcome {}

  /// Nobody could tell now; nothing is held against the caller.
  ///
  /// @param counted whether the attempt stays used up, for it was looked into
  record Unavailable(Duration retryAfter, boolean counted) implements ClaimOutcome {
    /// An outage: the attempt is given back.
    public Unavailable(Duration retryAfter) {
      this(retryAfter, false);
    }
  }

  /// The order is good, but the seller has brought no code for it yet. Nothing is used up.
  record RunOut(Duration retryAfter) implements ClaimOutcome {}

  /// No, for this reason.
  record Refused(Reason reason) implements ClaimOutcome {}

  /// Why an order gives no code.
  enum Reason {
    INVALID_SIGNATURE(true),
    ORDER_NOT_FOUND(true),
    ORDER_NOT_PAID(false),
    ORDER_PRODUCT_MISMATCH(true),
    ORDER_ALREADY_CLAIMED(false),
    ORDER_EXPIRED(false),
    ORDER_REVOKED(false),
    PRODUCT_NOT_FOUND(false);

    private final boolean miss;

    Reason(boolean miss) {
      this.miss = miss;
    }

    /// Whether it is what guessing looks like.
    public boolean isMiss() {
      return miss;
    }
  }
}
