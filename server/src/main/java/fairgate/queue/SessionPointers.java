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

/// In a cluster, says which sale a session belongs to, for requests that name a session only: its
/// keys can be found by the sale's slot and by nothing else.
///
/// A session belongs to one sale for life, so what a node once knew stays true. The pointer lies in
/// Redis as `session:{session_id}:product`; ids of new sessions are drawn until it falls to the
/// master of the sale, so that the outage of another master does not touch it.
final class SessionPointers {
  private static final long MOST_KNOWN = 200_000;

  /// With ten masters one draw in ten falls right; so many fall wrong once in a thousand times.
  private static final int MOST_DRAWS = 64;

  private final RedisClient redis;
  private final Ids ids;
  private final String life;
  private final Cache<SessionId, ProductId> known =
      Caffeine.newBuilder().maximumSize(MOST_KNOWN).build();

  SessionPointers(RedisClient redis, Ids ids, Duration life) {
    this.redis = redis;
    this.ids = ids;
    this.life = Long.toString(life.toSeconds());
  }

  /// The id of a new session of the sale.
  SessionId draw(SaleKeys sale) {
    String home = redis.node(sale.sale());
    SessionId id = ids.session();
    for (int i = 1; i < MOST_DRAWS && !redis.node(SaleKeys.pointer(id)).equals(home); i++) {
      id = ids.session();
    }
    return id;
  }

  /// Notes whose session it is, before anybody is told of it. Repeats do no harm.
  Future<Void> write(SessionId session, ProductId product) {
    known.put(session, product);
    return redis.send("SET", SaleKeys.pointer(session), product.value(), "EX", life).mapEmpty();
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
