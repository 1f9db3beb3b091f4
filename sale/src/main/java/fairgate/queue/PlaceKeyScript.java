package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `place_key.lua`, which stores the device key of a place with its session.
public final class PlaceKeyScript {
  private static final LuaScript SCRIPT = LuaScript.load(PlaceKeyScript.class, "place_key.lua");

  private final RedisClient redis;
  private final SaleKeys.Style style;

  public PlaceKeyScript(RedisClient redis, SaleKeys.Style style) {
    this.redis = redis;
    this.style = style;
  }

  /// Stores the key of a place that has none; the first key stays.
  ///
  /// @param hash not empty
  /// @return the key of the place; empty when there is no such place
  public Future<Optional<String>> remember(ProductId product, SessionId session, String hash) {
    return run(product, session, hash);
  }

  /// The key of a place; empty when it has none, or there is no such place.
  public Future<Optional<String>> of(ProductId product, SessionId session) {
    return run(product, session, "");
  }

  private Future<Optional<String>> run(ProductId product, SessionId session, String hash) {
    return redis
        .run(SCRIPT, List.of(SaleKeys.of(product, style).session(session)), List.of(hash))
        .map(reply -> Optional.of(reply.text()).filter(text -> !text.isEmpty()));
  }
}
