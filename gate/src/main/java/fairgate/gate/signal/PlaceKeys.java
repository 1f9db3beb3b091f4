package fairgate.gate.signal;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import java.util.Optional;

/// Stores the device key of each place, by its hash. Implemented where places are.
public interface PlaceKeys {
  /// Stores the key of a place that has none; the first key stays.
  Future<Void> remember(ProductId product, SessionId session, String keyHash);

  /// The key of a place; empty when its join had none, or there is no such place.
  Future<Optional<String>> of(ProductId product, SessionId session);
}
