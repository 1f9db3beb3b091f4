package fairgate.gate.challenge;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;

/// The purpose of a challenge. A proof for another purpose is invalid.
///
/// @param action the caller's intention, such as [#JOIN]; lower-case letters and `-`
/// @param clientAddress the caller's address, for an outside service that needs it
/// @param device the browser
/// @param harder whether a challenge of a higher cost is needed; widgets have one kind only
public record ChallengeContext(
    String action, ProductId product, String clientAddress, Device device, boolean harder) {
  /// The action of joining a queue.
  public static final String JOIN = "join";

  /// The action of a guest who makes a short link.
  public static final String LINK = "link";

  /// The action of asking for a code for a new password.
  public static final String RESET = "reset";

  /// For actions that belong to no sale.
  private static final ProductId NO_PRODUCT = new ProductId("0");

  /// The prefix of an IPv6 subscriber, bits.
  private static final int V6_BITS = 56;

  /// The context for joining a product's queue.
  public static ChallengeContext join(ProductId product, String clientAddress, Device device) {
    return new ChallengeContext(JOIN, product, clientAddress, device, false);
  }

  /// The context for an action outside of sales, such as [#LINK].
  public static ChallengeContext of(String action, String clientAddress, Device device) {
    return new ChallengeContext(action, NO_PRODUCT, clientAddress, device, false);
  }

  /// The same with a challenge of a higher cost.
  public ChallengeContext asHarder() {
    return new ChallengeContext(action, product, clientAddress, device, true);
  }

  /// The caller's network: the /24 of an IPv4 address, also in its mapped form, or the /56 of an
  /// IPv6 address. A telephone that moves within its carrier mostly keeps it.
  String network() {
    ClientAddress address = ClientAddress.parse(clientAddress);
    if (address == null) {
      return clientAddress;
    }
    return (address.isV4() ? address.network() : new AddressBlock(address, V6_BITS)).text();
  }
}
