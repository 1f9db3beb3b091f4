package fairgate.sale.payment;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisReply;
import java.time.Duration;

/// What the failing words of an edge script mean to its caller.
final class EdgeReply {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private EdgeReply() {}

  /// For a reply word the outcome type has no place for. `RETRY` means that the order was written
  /// anew under the same id since it was read; every caller repeats a `ServiceUnavailable`.
  static RuntimeException unexpected(LuaScript script, RedisReply reply) {
    String word = reply.textAt(0);
    return word.equals("RETRY")
        ? new ServiceUnavailable(script.name() + ": the order changed hands", RETRY_AFTER)
        : new IllegalStateException(script.name() + " replied " + word);
  }
}
