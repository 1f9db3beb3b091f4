package fairgate.gate.signature;

import java.time.Duration;

/// The outcome of verifying a request's signature.
public sealed interface SignatureOutcome {
  /// The request is unsigned.
  record Unsigned() implements SignatureOutcome {}

  /// Valid, except that replay has not been checked.
  ///
  /// @param signer id of the key
  /// @param nonceKey Redis key of the nonce; must not exist yet, and must be set before the request
  ///   counts
  /// @param remember how long the nonce has to be stored
  record Signed(String signer, String nonceKey, Duration remember) implements SignatureOutcome {}

  /// Invalid.
  ///
  /// @param reason for the caller's developer: `malformed`, `params`, `alg`, `created`, `expires`,
  ///   `nonce`, `components`, `keyid`, `signature` or `digest`
  record Rejected(String reason) implements SignatureOutcome {}
}
