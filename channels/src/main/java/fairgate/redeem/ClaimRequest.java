package fairgate.redeem;

import fairgate.kernel.Caller;
import fairgate.platform.http.Request;
import org.jspecify.annotations.Nullable;

/// One attempt to redeem an order.
///
/// @param platform as the caller names it; null when it does not
/// @param signature of the order, if the caller has one
/// @param http the HTTP request; null when it came through another channel
public record ClaimRequest(
    String orderId,
    String productId,
    @Nullable String platform,
    @Nullable String signature,
    Claimant claimant,
    @Nullable Request http) {
  /// The caller of a claim.
  ///
  /// @param deviceId the device's own name, as the body has it. It proves nothing alone: a repeat
  ///   needs the cookie as well
  /// @param device the browser, from its signed cookie
  /// @param known whether the request had the cookie, instead of getting a new one
  /// @param caller address and further properties of the request
  public record Claimant(String deviceId, String device, boolean known, Caller caller) {
    public String address() {
      return caller.address().text();
    }
  }
}
