package fairgate.account.identity;

import java.time.Instant;

/// Something verified about an account.
///
/// @param kind `phone` or `number`
/// @param event the product whose sale a number was given for; empty for a telephone
/// @param hint its last characters
record Identity(String kind, String event, String hint, Instant verifiedAt) {
  static final String PHONE = "phone";
  static final String NUMBER = "number";
}
