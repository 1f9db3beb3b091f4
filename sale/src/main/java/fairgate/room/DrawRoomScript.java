package fairgate.room;

import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Calls `draw_room.lua`, which puts the tickets from before the opening into their drawn order.
final class DrawRoomScript {
  private static final LuaScript SCRIPT = LuaScript.load(DrawRoomScript.class, "draw_room.lua");

  private final RedisClient redis;

  DrawRoomScript(RedisClient redis) {
    this.redis = redis;
  }

  /// Draws; has no effect when another node was first.
  ///
  /// @param seed 32 unpredictable bytes in hex
  Future<Void> draw(RoomStateKeys keys, int tickets, String seed) {
    int blocks = (tickets + GoneTickets.BLOCK - 1) / GoneTickets.BLOCK;
    List<Future<GoneTickets>> reads = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      reads.add(GoneTickets.read(redis, keys, block));
    }
    return Future.all(reads)
        .compose(_ -> write(keys, tickets, seed, reads.stream().map(Future::result).toList()));
  }

  private Future<Void> write(
      RoomStateKeys keys, int tickets, String seed, List<GoneTickets> before) {
    int[] drawn = new TicketOrder(seed, tickets).all();
    byte[][] after = new byte[before.size()][GoneTickets.BYTES];
    for (int ticket = 0; ticket < tickets; ticket++) {
      if (before.get(ticket / GoneTickets.BLOCK).isGone(ticket % GoneTickets.BLOCK)) {
        int bit = drawn[ticket] % GoneTickets.BLOCK;
        after[drawn[ticket] / GoneTickets.BLOCK][bit / 8] |= (byte) (1 << bit % 8);
      }
    }
    List<String> args = new ArrayList<>();
    args.add(keys.prefix());
    args.add(Integer.toString(tickets));
    args.add(seed);
    for (byte[] block : after) {
      args.add(HexFormat.of().formatHex(block));
    }
    return redis.run(SCRIPT, List.of(keys.state()), args).mapEmpty();
  }
}
