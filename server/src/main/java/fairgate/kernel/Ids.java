package fairgate.kernel;

/// Makes new ids. The real one is random; tests inject their own.
public interface Ids {
  /// A random UUID (version 4) in lower case: 122 bits nobody can guess.
  SessionId session();

  /// A new order id for the product; later ones sort after earlier ones (by millisecond). Nobody
  /// can guess its last 16 characters.
  OrderId order(ProductId product);

  /// 128 random bits.
  DeviceId device();

  /// 128 random bits as 22 characters of base64url, for nonces and whatever nobody may guess.
  String nonce();

  /// An id that nobody else gets, to find things by in logs and answers. Letters, digits, `-` and
  /// `_`; may be guessed.
  default String trace() {
    return nonce();
  }
}
