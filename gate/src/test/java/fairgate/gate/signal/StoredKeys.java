package fairgate.gate.signal;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Keys of places in memory.
final class StoredKeys implements PlaceKeys {
  final Map<String, String> byPlace = new ConcurrentHashMap<>();

  @Override
  public Future<Void> remember(ProductId product, SessionId session, String keyHash) {
    String _ = byPlace.putIfAbsent(product.value() + ' ' + session.value(), keyHash);
    return Future.succeededFuture();
  }

  @Override
  public Future<Optional<String>> of(ProductId product, SessionId session) {
    return Future.succeededFuture(
        Optional.ofNullable(byPlace.get(product.value() + ' ' + session.value())));
  }
}
