package fairgate.gate.limit.node;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Whether this node is surely the only one, and may count by itself what is over within a second.
///
/// It is while Redis has lent it the limits, which Redis does as long as no other node is there
/// ([Nodes]). What was counted elsewhere must not be forgotten when that begins or ends: for as
/// long as anything counted can last, both count, and a call passes only if both let it. Times are
/// of `System.nanoTime()`; the loan is taken to begin when it was asked for, so it never ends too
/// late.
///
/// Told by one thread, asked by any.
final class Tenure {
  /// The longest that anything counted here lasts.
  static final Duration SETTLE = Duration.ofSeconds(1);

  private static final long SETTLE_NANOS = SETTLE.toNanos();

  /// A call that asked just before the end may still count here.
  private static final long MARGIN_NANOS = Duration.ofMillis(50).toNanos();

  private volatile @Nullable Loan loan;

  /// @param from since when everything was counted here too
  /// @param until when it ends, unless it is prolonged
  /// @param yields whether it will be given back when it ends
  private record Loan(long from, long until, boolean yields) {
    boolean over(long now) {
      return now - until >= 0;
    }
  }

  /// Who counts at this time.
  Company.Counts at(long now) {
    Loan current = loan;
    if (current == null || current.over(now)) {
      return Company.Counts.REDIS;
    }
    boolean settled = now - current.from >= SETTLE_NANOS;
    boolean lasts = !current.yields && current.until - now > SETTLE_NANOS;
    return settled && lasts ? Company.Counts.NODE : Company.Counts.BOTH;
  }

  /// Redis has lent the limits to this node, or goes on to.
  ///
  /// @param asked when it was asked to
  /// @param lent for how long
  void lent(long asked, Duration lent, long now) {
    Loan current = loan;
    long from = current != null && !current.over(now) && !current.yields ? current.from : now;
    loan = new Loan(from, asked + lent.toNanos(), false);
  }

  /// Others have come: from now on both count, until it can be given back.
  void letGo(long now) {
    Loan current = loan;
    if (current != null && !current.yields) {
      long left = Math.min(current.until - now, SETTLE_NANOS + MARGIN_NANOS);
      loan = new Loan(current.from, now + left, true);
    }
  }

  /// How long until it can be given back, ms; 0 when it can be, negative while it is not to be.
  long yieldsIn(long now) {
    Loan current = loan;
    if (current == null || !current.yields) {
      return -1;
    }
    return Math.max(0, Math.ceilDiv(current.until - now, 1_000_000L));
  }

  /// Redis has not, or no more.
  void ended() {
    loan = null;
  }
}
