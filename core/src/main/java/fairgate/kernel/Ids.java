package fairgate.kernel;

/// A generator of ids. Random in production; tests inject their own.
public interface Ids {
  /// A random UUID (version 4) in lower case: 122 unpredictable bits.
  SessionId session();

  /// A new order id for the product. Ids sort by creation time (millisecond). The last 16
  /// characters are unpredictable; a purchase replaces the last eight by its order number.
  OrderId order(ProductId product);

  /// 128 random bits.
  DeviceId device();

  /// 128 random bits as 22 characters of base64url, for nonces and other unpredictable values.
  String nonce();

  /// A unique but predictable id for logs and replies: letters, digits, `-` and `_`.
  default String trace() {
    return nonce();
  }
}
