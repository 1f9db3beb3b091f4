package fairgate.redeem;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The result of a claim, the same for the API, the page and LINE.
public sealed interface ClaimOutcome {
  /// The code is the caller's.
  ///
  /// @param expiresAt null = never, or not before the first use
  /// @param durationDays null = for ever
  /// @param replayed whether this device was given it before
  record Claimed(
      String code, @Nullable Instant expiresAt, @Nullable Integer durationDays, boolean replayed)
      implements ClaimOutcome {}

  /// A claim without a code that has an error code.
  sealed interface Failed extends ClaimOutcome {
    Refusal refusal();
  }

  /// The order's number does not have the format of the platform, or of any platform.
  record NoOrderNumber() implements ClaimOutcome {}

  /// Orders of several platforms have this number; the caller must choose the platform.
  record Ambiguous(java.util.List<String> platforms) implements ClaimOutcome {}

  /// The caller has used up an attempt budget.
  record Limited(Duration retryAfter) implements Failed {
    @Override
    public Refusal refusal() {
      return Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(retryAfter);
    }
  }

  /// The caller is banned for guessing.
  record Banned(Duration retryAfter) implements Failed {
    @Override
    public Refusal refusal() {
      return Refusal.of(ErrorCode.CLIENT_BANNED).retryAfter(retryAfter);
    }
  }

  /// The order system is unavailable, or the order kept changing while it was claimed. Neither is a
  /// miss.
  ///
  /// @param counted whether the attempt stays used up, which it does in the second case
  record Unavailable(Duration retryAfter, boolean counted) implements Failed {
    /// The attempt is returned to the budgets.
    public Unavailable(Duration retryAfter) {
      this(retryAfter, false);
    }

    @Override
    public Refusal refusal() {
      return Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(retryAfter);
    }
  }

  /// The order is valid, but the seller has supplied no code for it yet. The attempt is returned.
  record RunOut(Duration retryAfter) implements Failed {
    @Override
    public Refusal refusal() {
      return Refusal.of(ErrorCode.CODES_RUN_OUT).retryAfter(retryAfter);
    }
  }

  record Risky(Refusal refusal) implements Failed {}

  /// The order gives no code.
  record Refused(Reason reason) implements Failed {
    @Override
    public Refusal refusal() {
      return Refusal.of(reason.code());
    }
  }

  enum Reason {
    INVALID_SIGNATURE(ErrorCode.INVALID_SIGNATURE, true),
    ORDER_NOT_FOUND(ErrorCode.ORDER_NOT_FOUND, true),
    ORDER_NOT_PAID(ErrorCode.ORDER_NOT_PAID, false),
    ORDER_PRODUCT_MISMATCH(ErrorCode.ORDER_PRODUCT_MISMATCH, true),
    ORDER_ALREADY_CLAIMED(ErrorCode.ORDER_ALREADY_CLAIMED, false),
    ORDER_EXPIRED(ErrorCode.ORDER_EXPIRED, false),
    ORDER_REVOKED(ErrorCode.ORDER_REVOKED, false),
    /// The attempt is returned: the seller has to correct the order.
    ORDER_UNREADABLE(ErrorCode.ORDER_UNREADABLE, false),
    PRODUCT_NOT_FOUND(ErrorCode.PRODUCT_NOT_FOUND, false);

    private final ErrorCode code;
    private final boolean miss;

    Reason(ErrorCode code, boolean miss) {
      this.code = code;
      this.miss = miss;
    }

    public ErrorCode code() {
      return code;
    }

    /// Whether a guessed order number has this result.
    public boolean isMiss() {
      return miss;
    }
  }
}
