package fairgate.kernel;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The gate's verdict on a challenge token.
public sealed interface ChallengeResult {
  /// The token is valid. If it may be used only once and its issuer does not enforce that, the
  /// script that acts on it also consumes `once` in the same step.
  record Accepted(@Nullable SingleUse once) implements ChallengeResult {}

  /// The token is missing, invalid, expired or for another purpose.
  record Rejected(String reason) implements ChallengeResult {}

  /// The token could not be checked: its issuer is unavailable and no fallback is configured. The
  /// caller may try again.
  record Unavailable() implements ChallengeResult {}

  /// A nonce that may be used once, and how long it must be remembered.
  ///
  /// @param nonce at most 64 characters of base64url or hex
  /// @param remember until the token has expired, at least
  record SingleUse(String nonce, Duration remember) {}
}
