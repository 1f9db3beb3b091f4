package fairgate.gate.signature;

import java.time.Duration;

/// What a look at a request's signature came to.
public sealed interface SignatureOutcome {
  /// It bears none.
  record Unsigned() implements SignatureOutcome {}

  /// It is right, as far as can be told without asking whether it was there before.
  ///
  /// @param signer the id of the key
  /// @param nonceKey the Redis key that must not exist yet, to be set before the request counts
  /// @param remember how long the nonce has to be remembered
  record Signed(String signer, String nonceKey, Duration remember) implements SignatureOutcome {}

  /// It is not right.
  ///
  /// @param reason for whoever programs the caller: `malformed`, `params`, `alg`, `created`,
  ///   `expires`, `nonce`, `components`, `keyid`, `signature` or `digest`
  record Rejected(String reason) implements SignatureOutcome {}
}
