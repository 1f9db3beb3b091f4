package fairgate.gate.signal;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import java.util.Optional;

/// What places tell about their buyers. Implemented where places are.
public interface Places {
  /// Stores the device key of a place that has none, by its hash; the first key stays.
  Future<Void> remember(ProductId product, SessionId session, String keyHash);

  /// Reads a place.
  Future<Evidence> of(ProductId product, SessionId session);

  /// What a place tells about its buyer.
  ///
  /// @param keyHash of its device key; empty when its join had none, or there is no such place
  /// @param sinceJoin ms; -1 when there is no such place
  /// @param sinceTurn ms since its turn began; -1 before
  record Evidence(Optional<String> keyHash, long sinceJoin, long sinceTurn) {}
}
