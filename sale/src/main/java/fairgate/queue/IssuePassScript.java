package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Pass;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `issue_pass.lua`, which issues the purchase token of a ready session.
final class IssuePassScript {
  private static final LuaScript SCRIPT = LuaScript.load(IssuePassScript.class, "issue_pass.lua");

  private final RedisClient redis;

  IssuePassScript(RedisClient redis) {
    this.redis = redis;
  }

  /// The token in force, or a new one named `nonce`. Empty when the session is no longer ready.
  Future<Optional<Pass>> run(SaleKeys keys, Place place, String nonce) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.sale(), keys.session(place.session()), keys.token(nonce)),
            List.of(place.session().value(), nonce))
        .map(reply -> pass(place, reply.text()));
  }

  private static Optional<Pass> pass(Place place, String reply) {
    String[] words = reply.split(" ", -1);
    return switch (words[0]) {
      case "NOT_READY" -> Optional.empty();
      case "TOKEN" ->
          Optional.of(
              new Pass(
                  place.session(),
                  place.deviceHash(),
                  place.product(),
                  words[1],
                  Long.parseLong(words[2]),
                  place.epoch()));
      default -> throw new IllegalStateException("issue_pass.lua replied " + words[0]);
    };
  }
}
