package fairgate.redeem;

import fairgate.kernel.Caller;
import org.jspecify.annotations.Nullable;

/// One attempt to redeem an order.
///
/// @param platform as the caller names it; null when it does not
/// @param signature of the order, if the caller has one
public record ClaimRequest(
    String orderId,
    String productId,
    @Nullable String platform,
    @Nullable String signature,
    Claimant claimant) {
  /// Who claims.
  ///
  /// @param deviceId what the client calls itself: a hint, no proof
  /// @param device the browser by its signed cookie
  /// @param known whether the cookie came with the request, and was not made for it
  /// @param caller the rest of what the request tells of him
  public record Claimant(String deviceId, String device, boolean known, Caller caller) {
    /// The address as text.
    public String address() {
      return caller.address().text();
    }
  }
}
