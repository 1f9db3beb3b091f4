package fairgate.platform.redis;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Duration;
import java.util.function.Function;

/// Waits until a replica has the writes of a connection: with `WAITAOF` on its disk and on that of
/// the primary, where the engine has this command (Redis 7.2, Valkey), otherwise with `WAIT` in its
/// memory. Used on one event loop.
///
/// A script that finds an earlier decision writes nothing, and the decision may have been made on
/// another connection. So each wait begins with a small write of its own: a replica that has it has
/// everything before it.
final class ReplicaWait {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final Command WAITAOF = Command.create("WAITAOF");

  private final Function<Request, Future<RedisReply>> exchange;
  private final String timeoutMs;
  private boolean knowsWaitaof = true;

  /// @param exchange sends a request on the connection, after all earlier ones
  /// @param budget of a call; the wait ends before it, so that the connection stays usable
  ReplicaWait(Function<Request, Future<RedisReply>> exchange, Duration budget) {
    this.exchange = exchange;
    this.timeoutMs = Long.toString(budget.toMillis() * 3 / 4);
  }

  /// Completes when a replica has all writes so far; fails with ServiceUnavailable (the outcome is
  /// unknown) when none confirms it in time.
  ///
  /// @param key a key of the call; `{key}:replicated` is written
  Future<Void> after(String key) {
    var _ = exchange.apply(Request.cmd(Command.SET).arg(key + ":replicated").arg("1"));
    boolean onDisk = knowsWaitaof;
    Request wait =
        onDisk
            ? Request.cmd(WAITAOF).arg("1").arg("1").arg(timeoutMs)
            : Request.cmd(Command.WAIT).arg("1").arg(timeoutMs);
    return exchange
        .apply(wait)
        .compose(
            reply ->
                isConfirmed(reply, onDisk)
                    ? Future.succeededFuture()
                    : unknown("no replica confirmed it in time"),
            failure -> {
              if (onDisk && failure instanceof RedisFailure refused && refused.isUnknown()) {
                knowsWaitaof = false;
                return after(key);
              }
              return unknown(String.valueOf(failure));
            });
  }

  private static boolean isConfirmed(RedisReply reply, boolean onDisk) {
    return onDisk ? reply.at(0).number() > 0 && reply.at(1).number() > 0 : reply.number() > 0;
  }

  private static Future<Void> unknown(String reason) {
    return Future.failedFuture(new ServiceUnavailable("redis replication: " + reason, RETRY_AFTER));
  }
}
