package fairgate.account.identity;

import java.time.Instant;

/// A verified property of an account.
///
/// @param kind `phone` or `number`
/// @param event the product of the sale for a number; empty for a telephone
/// @param hint its last characters
record Identity(String kind, String event, String hint, Instant verifiedAt) {
  static final String PHONE = "phone";
  static final String NUMBER = "number";
}
