package fairgate.gate.challenge;

import fairgate.kernel.Proof;
import io.vertx.core.Future;

/// A kind of challenge: hands out what the browser needs and judges what it brings back. Safe for
/// use by several threads; never blocks.
public interface ChallengeProvider extends AutoCloseable {
  /// The name in the configuration and in the counters.
  String name();

  /// Judges a token. The future never fails; it completes on the caller's own event loop.
  ///
  /// A token accepted with a [Proof.SingleUse] still passes again until somebody spends it: the
  /// script that acts on the token does so in the same step.
  Future<Proof> verify(String token, ChallengeContext context);

  /// What a page must know to run the challenge, as a JSON object with at least `provider`. It may
  /// change while the server runs, when a fall-back steps in.
  String settings();

  /// A challenge for this use, as a JSON object.
  String offer(ChallengeContext context);

  /// Gives back threads and connections.
  @Override
  default void close() {}
}
