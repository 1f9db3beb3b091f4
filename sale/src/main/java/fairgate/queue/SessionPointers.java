package fairgate.queue;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.Ids;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

/// Stores the sale of each session in a cluster, for requests that name a session only. A session's
/// keys can be found only by its sale's slot.
///
/// A session belongs to one sale for life, so cached entries stay true. The pointer is
/// `session:{session_id}:product`. Ids of new sessions are drawn until the pointer lies on the
/// sale's master, so that an outage of another master does not affect it.
final class SessionPointers {
  private static final long MOST_KNOWN = 200_000;

  /// With ten masters one draw in ten is right; this many draws all fail once in a thousand times.
  private static final int MOST_DRAWS = 64;

  private final RedisClient redis;
  private final Ids ids;
  private final Cache<SessionId, ProductId> known =
      Caffeine.newBuilder().maximumSize(MOST_KNOWN).build();

  SessionPointers(RedisClient redis, Ids ids) {
    this.redis = redis;
    this.ids = ids;
  }

  SessionId draw(SaleKeys sale) {
    String home = redis.node(sale.sale());
    SessionId id = ids.session();
    for (int i = 1; i < MOST_DRAWS && !redis.node(SaleKeys.pointer(id)).equals(home); i++) {
      id = ids.session();
    }
    return id;
  }

  /// Stores the product of a session before its id is returned, and again whenever the session's
  /// end is moved. Repeats do no harm.
  ///
  /// @param life of the session, from now on
  Future<Void> write(SessionId session, ProductId product, Duration life) {
    known.put(session, product);
    String millis = Long.toString(life.toMillis());
    return redis.send("SET", SaleKeys.pointer(session), product.value(), "PX", millis).mapEmpty();
  }

  /// The product whose sale the session belongs to; empty when there is no such session.
  Future<Optional<ProductId>> find(SessionId session) {
    ProductId product = known.getIfPresent(session);
    if (product != null) {
      return Future.succeededFuture(Optional.of(product));
    }
    return redis
        .send("GET", SaleKeys.pointer(session))
        .map(
            reply -> {
              if (reply.isNil()) {
                return Optional.empty();
              }
              ProductId found = new ProductId(reply.text());
              known.put(session, found);
              return Optional.of(found);
            });
  }
}
