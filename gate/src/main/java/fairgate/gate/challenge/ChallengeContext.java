package fairgate.gate.challenge;

import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import org.jspecify.annotations.Nullable;

/// The purpose of a challenge. A proof for another purpose is invalid.
///
/// @param action the caller's intention, such as [#JOIN]; lower-case letters and `-`
/// @param clientAddress the caller's address, for an outside service that needs it
/// @param device the browser; null when it sent no cookie
public record ChallengeContext(
    String action, ProductId product, String clientAddress, @Nullable DeviceId device) {
  /// The action of joining a queue.
  public static final String JOIN = "join";

  /// The context for joining a product's queue.
  public static ChallengeContext join(
      ProductId product, String clientAddress, @Nullable DeviceId device) {
    return new ChallengeContext(JOIN, product, clientAddress, device);
  }
}
