package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/// Calls `read_head.lua`: the last head, or what a new one says.
record ReadHeadScript(RedisClient redis) {
  private static final LuaScript SCRIPT = LuaScript.load(ReadHeadScript.class, "read_head.lua");

  sealed interface Read {
    /// The present head, made by some node.
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Present(byte[] head) implements Read {}

    /// There is none yet.
    record Missing() implements Read {}

    /// This node makes the next head.
    record Due(HeadFacts facts) implements Read {}
  }

  Future<Read> run(RoomStateKeys keys, Duration interval) {
    return redis
        .run(
            SCRIPT,
            List.of(keys.state(), keys.head(), keys.samples()),
            List.of(keys.prefix(), Long.toString(interval.toMillis())))
        .map(ReadHeadScript::read);
  }

  Future<Void> keep(RoomStateKeys keys, byte[] head) {
    return redis.send("SET", keys.head(), new String(head, StandardCharsets.UTF_8)).mapEmpty();
  }

  private static Read read(RedisReply reply) {
    return switch (reply.textAt(0)) {
      case "HEAD" -> new Read.Present(reply.textAt(1).getBytes(StandardCharsets.UTF_8));
      case "BUILD" -> new Read.Due(HeadFacts.of(reply));
      default -> new Read.Missing();
    };
  }
}
