package fairgate.kernel;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What the gate says of a challenge token handed in with a request.
public sealed interface Proof {
  /// The token is good. Where it may count only once and its issuer does not see to that, the
  /// script that acts on it also spends `once`, in the same step.
  record Accepted(@Nullable SingleUse once) implements Proof {}

  /// The token is missing, wrong, expired, or made for something else.
  record Rejected(String reason) implements Proof {}

  /// Nobody could tell: the issuer is down and no fall-back is set. The caller may try again.
  record Unavailable() implements Proof {}

  /// A name that may be used once, and for how long it must be remembered.
  ///
  /// @param nonce at most 64 characters of base64url or hex
  /// @param remember at least until the token itself has expired
  record SingleUse(String nonce, Duration remember) {}
}
