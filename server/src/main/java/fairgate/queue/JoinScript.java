package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Proof.SingleUse;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `join.lua`: one place at the end of the waiting queue.
final class JoinScript {
  private static final LuaScript SCRIPT = LuaScript.load(JoinScript.class, "join.lua");
  private static final int MOST_ITEMS = 128;

  private final ScriptBatcher batcher;
  private final String sessionLife;

  JoinScript(RedisClient redis, Duration sessionLife) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
    this.sessionLife = Long.toString(sessionLife.toSeconds());
  }

  /// One attempt.
  ///
  /// @param named the session the caller already has, if any
  /// @param account the signed-in account, if any
  /// @param once the challenge solution to spend with it, if it is to be spent here
  record Call(
      SessionId fresh,
      @Nullable SessionId named,
      String deviceHash,
      @Nullable String account,
      @Nullable SingleUse once) {}

  /// What all calls for one product share.
  ScriptBatcher.Shared shared(SaleKeys keys) {
    return new ScriptBatcher.Shared(
        keys.product().value(),
        List.of(keys.sale(), keys.waiting(), keys.active(), keys.devices()),
        List.of(keys.product().value(), sessionLife));
  }

  Future<JoinOutcome> run(SaleKeys keys, ScriptBatcher.Shared shared, Call call) {
    SessionId named = call.named();
    SingleUse once = call.once();
    String user = call.account() == null ? call.deviceHash() : call.account();
    ScriptBatcher.Item item =
        new ScriptBatcher.Item(
            List.of(
                keys.session(call.fresh()),
                named == null ? keys.sale() : keys.session(named),
                once == null ? keys.sale() : keys.challenge(once.nonce()),
                keys.deviceCooldown(call.deviceHash()),
                keys.userBought(user),
                keys.deviceBought(call.deviceHash()),
                keys.userCooldown(user)),
            List.of(
                call.fresh().value(),
                named == null ? "" : named.value(),
                call.deviceHash(),
                call.account() == null ? "" : call.account(),
                once == null ? "" : Long.toString(Math.max(1, once.remember().toMillis()))));
    return batcher.call(shared, item).map(reply -> outcome(call.fresh(), reply));
  }

  private static JoinOutcome outcome(SessionId fresh, String reply) {
    int space = reply.indexOf(' ');
    String word = space < 0 ? reply : reply.substring(0, space);
    String rest = reply.substring(space + 1);
    return switch (word) {
      case "JOINED" -> new JoinOutcome.Joined(fresh, Integer.parseInt(rest));
      case "ALREADY" -> new JoinOutcome.AlreadyInQueue(new SessionId(rest));
      case "LIMIT" -> new JoinOutcome.LimitReached();
      case "COOLDOWN" -> new JoinOutcome.CoolingDown(Duration.ofMillis(Long.parseLong(rest)));
      case "CHALLENGE_USED" -> new JoinOutcome.ChallengeRefused();
      case "CLOSED" -> new JoinOutcome.SaleClosed();
      case "NO_SALE" -> new JoinOutcome.NoSuchProduct();
      default -> throw new IllegalStateException("join.lua said " + word);
    };
  }
}
