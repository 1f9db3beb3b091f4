package fairgate.gate.signal;

import fairgate.gate.signal.PlaceSource.Places;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Places in memory, with these times.
final class StoredPlaces implements Places {
  final Map<String, String> byPlace = new ConcurrentHashMap<>();
  volatile long sinceJoin = -1;
  volatile long sinceTurn = -1;

  @Override
  public Future<Void> remember(ProductId product, SessionId session, String keyHash) {
    String _ = byPlace.putIfAbsent(product.value() + ' ' + session.value(), keyHash);
    return Future.succeededFuture();
  }

  @Override
  public Future<Evidence> of(ProductId product, SessionId session) {
    Optional<String> key =
        Optional.ofNullable(byPlace.get(product.value() + ' ' + session.value()));
    return Future.succeededFuture(new Evidence(key, sinceJoin, sinceTurn));
  }
}
