package fairgate.kernel;

/// The right to purchase once, until it expires: the content of a purchase token.
///
/// @param nonce identifies the token; the purchase script consumes it
/// @param expiresAt in milliseconds of Redis time
/// @param epoch the epoch of the sale; after a rebuild, older tokens are invalid
public record Pass(
    SessionId session,
    String deviceHash,
    ProductId product,
    String nonce,
    long expiresAt,
    long epoch) {}
