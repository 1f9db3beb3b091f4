package fairgate.account.identity;

import java.time.Instant;

/// A verified property of an account.
///
/// @param kind `phone`, `email` or `number`
/// @param event the product of the sale for a number; empty for the others
/// @param hint what its owner recognizes it by
public record Identity(String kind, String event, String hint, Instant verifiedAt) {
  public static final String PHONE = "phone";
  public static final String EMAIL = "email";
  public static final String NUMBER = "number";
}
