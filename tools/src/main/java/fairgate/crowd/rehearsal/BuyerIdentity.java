package fairgate.crowd.rehearsal;

import java.util.Locale;

/// What the limits of a sale count: the field `identity` of its policy.
public enum BuyerIdentity {
  /// A browser.
  DEVICE,
  /// A verified telephone number.
  PHONE;

  /// The value in a policy.
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
