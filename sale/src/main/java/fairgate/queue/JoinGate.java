package fairgate.queue;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import io.vertx.core.Future;

/// Verifies challenge tokens for joins; implemented by the gate.
@FunctionalInterface
public interface JoinGate {
  /// Verifies a token. Changes nothing except what its issuer counts as use.
  Future<ChallengeResult> check(
      String token, ProductId product, String clientAddress, DeviceId device);
}
