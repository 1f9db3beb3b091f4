package fairgate.redeem.code;

/// A code the seller brings, for one order.
///
/// @param platform as in `orders`
/// @param code any text of 4 to 200 characters; shown to the buyer as it is
public record SellerCode(String platform, String orderId, String productId, String code) {
  /// The fewest and most characters of a seller's code.
  public static final int MIN_LENGTH = 4;

  public static final int MAX_LENGTH = 200;
}
