package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `place_evidence.lua`, which stores the device key of a place with its session, and reads
/// it with the times of the place. Calls that wait at the same time share a run.
public final class PlaceEvidenceScript {
  private static final LuaScript SCRIPT =
      LuaScript.load(PlaceEvidenceScript.class, "place_evidence.lua");

  private static final ScriptBatcher.Shared SHARED =
      new ScriptBatcher.Shared("places", List.of(), List.of());
  private static final int MAX_BATCH_SIZE = 128;

  private final ScriptBatcher batcher;
  private final SaleKeys.Style style;

  public PlaceEvidenceScript(RedisClient redis, SaleKeys.Style style) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
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

  public Future<Evidence> of(ProductId product, SessionId session) {
    return run(product, session, "");
  }

  private Future<Evidence> run(ProductId product, SessionId session, String hash) {
    return batcher.call(
        SHARED,
        new ScriptBatcher.Item(
            List.of(SaleKeys.of(product, style).session(session)), List.of(hash)),
        (reply, _) -> evidence(reply));
  }

  private static Evidence evidence(String reply) {
    String[] f = reply.split("\\|", -1);
    return new Evidence(
        Optional.of(f[0]).filter(text -> !text.isEmpty()),
        Long.parseLong(f[1]),
        Long.parseLong(f[2]));
  }
}
