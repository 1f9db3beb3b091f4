package fairgate.queue;

import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.kernel.Proof;
import io.vertx.core.Future;

/// Where joining asks whether a challenge token is good; the gate stands behind it.
@FunctionalInterface
public interface JoinGate {
  /// Judges a token without changing anything but what its issuer counts as use.
  Future<Proof> check(String token, ProductId product, String clientAddress, DeviceId device);
}
