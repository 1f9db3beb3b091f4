package fairgate.redeem.code;

import java.util.Locale;

/// Where a code is in its life.
public enum CodeState {
  /// A seller's own, waiting for its order's claim.
  AVAILABLE,
  /// Given to whoever claimed its order.
  ASSIGNED,
  /// In use.
  ACTIVATED,
  /// Its time is over.
  EXPIRED,
  /// Withdrawn by an operator, or for a refund.
  REVOKED,
  /// Replaced by another code.
  REPLACED;

  /// As it is written in the API and the database.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// The state with this name.
  public static CodeState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
