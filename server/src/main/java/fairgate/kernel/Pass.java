package fairgate.kernel;

/// The right to buy, once and soon: what a purchase token says.
///
/// @param nonce names the token; it is spent by the purchase script
/// @param expiresAt milliseconds of Redis time
/// @param epoch the sale's epoch; after a rebuild older tokens are void
public record Pass(
    SessionId session,
    String deviceHash,
    ProductId product,
    String nonce,
    long expiresAt,
    long epoch) {}
