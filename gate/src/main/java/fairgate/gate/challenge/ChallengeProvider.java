package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
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
  Future<ChallengeResult> verify(String token, ChallengeContext context);

  /// The settings for a page, as a JSON object with at least `provider`. They may change while the
  /// server runs, when a fallback takes over.
  String settings();

  /// A new challenge for this purpose, as a JSON object.
  String offer(ChallengeContext context);

  /// Releases threads and connections.
  @Override
  default void close() {}

  /// Dependencies of challenges.
  ///
  /// @param keys sign the binding of a challenge
  /// @param clock the nodes' clocks may differ by up to a minute
  record Dependencies(Vertx vertx, Clock clock, Ids ids, KeyRing keys) {}
}
