package fairgate.redeem;

import java.util.Map;

/// Signatures of orders, made by the seller's own system.
///
/// @param required whether a claim without a good one is refused
/// @param keys key id to secret
/// @param plain whether the plain form (hex HMAC-SHA256 of `order_id:product_id`, without an
///   expiry) is taken as well
public record OrderSignatureConfig(boolean required, Map<String, String> keys, boolean plain) {
  public OrderSignatureConfig {
    keys = Map.copyOf(keys);
    if (required && keys.isEmpty()) {
      throw new IllegalArgumentException("redeem.signature_keys is needed to check signatures");
    }
  }

  /// No signatures.
  public static OrderSignatureConfig off() {
    return new OrderSignatureConfig(false, Map.of(), false);
  }

  @Override
  public String toString() {
    return "OrderSignatureConfig[" + required + ", " + keys.keySet() + "]";
  }
}
