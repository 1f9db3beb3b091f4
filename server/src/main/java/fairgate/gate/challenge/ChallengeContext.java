package fairgate.gate.challenge;

import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import org.jspecify.annotations.Nullable;

/// What a challenge is meant for; a proof made for something else does not count.
///
/// @param action what the caller is about to do, such as [#JOIN]; lower-case letters and `-`
/// @param clientAddress the caller's address, told to an outside judge that asks for it
/// @param device the browser, when it showed its cookie with the request; null when it had none yet
public record ChallengeContext(
    String action, ProductId product, String clientAddress, @Nullable DeviceId device) {
  /// Joining a product's queue.
  public static final String JOIN = "join";

  /// The context of joining a product's queue.
  public static ChallengeContext join(
      ProductId product, String clientAddress, @Nullable DeviceId device) {
    return new ChallengeContext(JOIN, product, clientAddress, device);
  }
}
