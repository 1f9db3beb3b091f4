package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Calls `leave.lua`, which gives up a place.
final class LeaveScript {
  private static final LuaScript SCRIPT = LuaScript.load(LeaveScript.class, "leave.lua");

  private final RedisClient redis;

  LeaveScript(RedisClient redis) {
    this.redis = redis;
  }

  /// For a single Redis.
  Future<LeaveOutcome> run(SessionId session) {
    return run(
        SaleKeys.Style.PLAIN,
        List.of("session:" + session.value(), "purchase:lock:" + session.value()),
        session);
  }

  /// The same in a cluster.
  ///
  /// @param sale of the session's product
  Future<LeaveOutcome> run(SessionId session, SaleKeys sale) {
    return run(SaleKeys.Style.CLUSTER, List.of(sale.session(session), sale.lock(session)), session);
  }

  /// The session that holds an account's place in a sale, according to the index of owners.
  Future<Optional<SessionId>> placeOf(String account, SaleKeys sale) {
    return redis
        .send("HGET", sale.devices(), account)
        .map(found -> found.isNil() ? Optional.empty() : Optional.of(new SessionId(found.text())));
  }

  private Future<LeaveOutcome> run(SaleKeys.Style style, List<String> keys, SessionId session) {
    return redis
        .run(SCRIPT, keys, List.of(SaleKeys.open(style), SaleKeys.close(style), session.value()))
        .map(reply -> outcome(reply.text()));
  }

  private static LeaveOutcome outcome(String reply) {
    String word = reply.indexOf(' ') < 0 ? reply : reply.substring(0, reply.indexOf(' '));
    return switch (word) {
      case "LEFT" -> new LeaveOutcome.Left(new ProductId(reply.substring(5)));
      case "GONE" -> new LeaveOutcome.NotInQueue();
      case "UNKNOWN" -> new LeaveOutcome.UnknownSession();
      default -> throw new IllegalStateException("leave.lua replied " + word);
    };
  }
}
