package fairgate.gate.challenge;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;

/// Issues challenges and verifies their tokens. Thread-safe; never blocks.
public interface ChallengeProvider extends AutoCloseable {
  /// The name in the configuration and the metrics.
  String name();

  /// Verifies a token. The future never fails; it completes on the caller's event loop.
  ///
  /// A token accepted with a [ChallengeResult.SingleUse] passes again until it is spent. The script
  /// that acts on the token spends it in the same step.
  Future<ChallengeResult> verify(String token, Context context);

  /// The settings for a page, as a JSON object with at least `provider`. They may change while the
  /// server runs, when a fallback takes over.
  String settings();

  String offer(Context context);

  @Override
  default void close() {}

  /// Dependencies of challenges.
  ///
  /// @param keys sign the binding of a challenge
  /// @param clock the nodes' clocks may differ by up to a minute
  record Dependencies(Vertx vertx, Clock clock, Ids ids, KeyRing keys) {}

  /// The purpose of a challenge. A proof for another purpose is invalid.
  ///
  /// @param action the caller's intention, such as [#JOIN]; lower-case letters and `-`
  /// @param clientAddress the caller's address, for an outside service that needs it
  /// @param device the browser
  /// @param harder whether a challenge of a higher cost is needed; widgets have one kind only
  record Context(
      String action, ProductId product, String clientAddress, Device device, boolean harder) {
    public static final String JOIN = "join";

    public static final String LINK = "link";

    /// The action of asking for a code for a new password.
    public static final String RESET = "reset";

    /// For actions that belong to no sale.
    private static final ProductId NO_PRODUCT = new ProductId("0");

    /// The prefix of an IPv6 subscriber, bits.
    private static final int V6_BITS = 56;

    public static Context join(ProductId product, String clientAddress, Device device) {
      return new Context(JOIN, product, clientAddress, device, false);
    }

    /// The context for an action outside of sales, such as [#LINK].
    public static Context of(String action, String clientAddress, Device device) {
      return new Context(action, NO_PRODUCT, clientAddress, device, false);
    }

    public Context asHarder() {
      return new Context(action, product, clientAddress, device, true);
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
}
