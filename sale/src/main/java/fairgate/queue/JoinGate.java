package fairgate.queue;

import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import io.vertx.core.Future;

/// The checks of a join that need the gate.
@FunctionalInterface
public interface JoinGate {
  /// Verifies a token. Changes nothing except what its issuer counts as use.
  Future<ChallengeResult> check(
      String token, ProductId product, String clientAddress, DeviceId device);

  /// Whether the limits by network count this caller; false for callers on the allow-list.
  default boolean countsNetworks(Caller caller) {
    return true;
  }
}
