package fairgate.gate.limit.node;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/// `nodes.lua`: how many nodes there are, and who is alone.
final class NodesScript {
  private static final LuaScript SCRIPT = LuaScript.load(NodesScript.class, "nodes.lua");

  private final RedisClient redis;
  private final List<String> keys;

  /// @param keys of the nodes, and of who is alone
  NodesScript(RedisClient redis, List<String> keys) {
    this.redis = redis;
    this.keys = List.copyOf(keys);
  }

  /// What a node has to say of what only one can have.
  enum Word {
    /// It would have it, if nobody else is there.
    WANT,
    /// It leaves it as it is.
    KEEP,
    /// It gives back what it has.
    YIELD,
    /// It is gone, and what it has ends soon.
    LEAVE;

    String text() {
      return switch (this) {
        case WANT -> "want";
        case KEEP -> "keep";
        case YIELD -> "yield";
        case LEAVE -> "leave";
      };
    }
  }

  /// Who has what only one can have.
  enum Holder {
    NOBODY,
    ME,
    ANOTHER
  }

  /// @param alive the nodes alive, this one included unless it left
  record Answer(int alive, Holder holder) {}

  /// Says that this node is alive.
  ///
  /// @param life how long it counts if it says nothing more
  /// @param lent how long it has what it is given, if it says nothing more
  Future<Answer> run(String node, Duration life, Duration lent, Word word) {
    return redis
        .run(
            SCRIPT,
            keys,
            List.of(
                node, Long.toString(life.toMillis()), Long.toString(lent.toMillis()), word.text()))
        .map(
            reply ->
                new Answer(
                    Math.toIntExact(Long.parseLong(reply.textAt(0))), holder(reply.textAt(1))));
  }

  private static Holder holder(String word) {
    return switch (word) {
      case "" -> Holder.NOBODY;
      case "me" -> Holder.ME;
      default -> Holder.ANOTHER;
    };
  }
}
