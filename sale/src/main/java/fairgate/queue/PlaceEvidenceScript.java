package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `place_evidence.lua`, which stores the device key of a place with its session, and reads
/// it with the times of the place.
public final class PlaceEvidenceScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(PlaceEvidenceScript.class, "place_evidence.lua");

  private final RedisClient redis;
  private final SaleKeys.Style style;

  public PlaceEvidenceScript(RedisClient redis, SaleKeys.Style style) {
    this.redis = redis;
    this.style = style;
  }

  /// What a place tells about its buyer.
  ///
  /// @param keyHash of its device key; empty without one
  /// @param sinceJoin ms; -1 when there is no such place
  /// @param sinceTurn ms since its turn began; -1 before
  public record Evidence(Optional<String> keyHash, long sinceJoin, long sinceTurn) {}

  /// Stores the key of a place that has none; the first key stays.
  ///
  /// @param hash not empty
  public Future<Evidence> remember(ProductId product, SessionId session, String hash) {
    return run(product, session, hash);
  }

  /// Reads without changing anything.
  public Future<Evidence> of(ProductId product, SessionId session) {
    return run(product, session, "");
  }

  private Future<Evidence> run(ProductId product, SessionId session, String hash) {
    return redis
        .run(SCRIPT, List.of(SaleKeys.of(product, style).session(session)), List.of(hash))
        .map(
            reply ->
                new Evidence(
                    Optional.of(reply.at(0).text()).filter(text -> !text.isEmpty()),
                    reply.at(1).number(),
                    reply.at(2).number()));
  }
}
