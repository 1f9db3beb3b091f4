package fairgate.room.token;

/// The signature algorithm of a room's tokens. It is a property of the room, never of a token.
public enum TokenAlgorithm {
  /// ECDSA on P-256: anybody can verify with the room's JWKS.
  ES256,
  /// HMAC-SHA256 with a key per room and epoch, for edges without public-key cryptography. Whoever
  /// can verify can also sign.
  HS256
}
