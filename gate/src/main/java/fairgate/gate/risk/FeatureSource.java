package fairgate.gate.risk;

import io.vertx.core.Future;

/// Contributes features of a request, such as the kind of its network. Called on the event loop; it
/// must not block.
@FunctionalInterface
public interface FeatureSource {
  /// The result of a source that has its values at once.
  Future<Void> DONE = Future.succeededFuture();

  /// Sets features. The future completes on the caller's event loop after the last one was set.
  /// When it fails or is too late, the decision is made without this source and counted as
  /// degraded.
  ///
  /// @param features shared with the other sources; used by one thread at a time
  Future<Void> contribute(RiskRequest request, Features.Builder features);
}
