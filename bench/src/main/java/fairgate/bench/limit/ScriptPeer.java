package fairgate.bench.limit;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/// One script run for each call, over the same client as ours: the semantics of Spring Cloud
/// Gateway, and of the sliding window of the short-link seed.
final class ScriptPeer implements Peer {
  private static final LuaScript WHOLE_SECONDS =
      LuaScript.load(ScriptPeer.class, "whole_seconds.lua");
  private static final LuaScript CALL_LOG = LuaScript.load(ScriptPeer.class, "call_log.lua");
  private static final String SECOND = "1000";

  private final RedisNode node;
  private final boolean log;
  private final AtomicLong calls = new AtomicLong(System.nanoTime());

  private ScriptPeer(String uri, boolean log) {
    this.node = new RedisNode(uri);
    this.log = log;
  }

  static Peer wholeSeconds(String uri) {
    return new ScriptPeer(uri, false);
  }

  static Peer callLog(String uri) {
    return new ScriptPeer(uri, true);
  }

  @Override
  public BooleanSupplier open(String key, int perSecond, int burst) {
    String rate = Integer.toString(perSecond);
    String max = Integer.toString(burst);
    if (log) {
      List<String> keys = List.of(key);
      return () ->
          granted(
              node.redis()
                  .run(
                      CALL_LOG,
                      keys,
                      List.of(
                          Long.toString(System.currentTimeMillis()),
                          SECOND,
                          rate,
                          Long.toString(calls.incrementAndGet()))));
    }
    List<String> keys = List.of("{" + key + "}.tokens", "{" + key + "}.timestamp");
    List<String> args = List.of(rate, max);
    return () -> granted(node.redis().run(WHOLE_SECONDS, keys, args));
  }

  private static boolean granted(Future<RedisReply> reply) {
    return reply.toCompletionStage().toCompletableFuture().join().number() == 1;
  }

  @Override
  public void close() {
    node.close();
  }
}
