package fairgate.room;

import fairgate.kernel.TicketOrder;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/// Calls `draw_room.lua`, which puts the tickets from before the opening into their drawn order.
record DrawRoomScript(RedisClient redis) {
  private static final LuaScript SCRIPT = LuaScript.load(DrawRoomScript.class, "draw_room.lua");

  /// A draw.
  ///
  /// @param tickets their number; numbers below it that Redis has lost are not given again
  /// @param epoch in which they were sealed
  /// @param seed 32 bytes in hex
  /// @param isAnnounced whether the seed is that of an announcement; false for one of the server
  record Draw(int tickets, long epoch, String seed, boolean isAnnounced) {}

  /// Keeps the announced number of tickets: numbers below it that Redis has lost are not given
  /// again while the draw is to come.
  Future<Void> keepNumber(RoomStateKeys keys, int tickets, long epoch) {
    return run(keys, new Draw(tickets, epoch, "", true), List.of()).mapEmpty();
  }

  /// Draws; has no effect when another node was first.
  Future<Void> draw(RoomStateKeys keys, Draw draw) {
    return run(keys, draw, List.of())
        .compose(
            reply -> reply.text().equals("BEGUN") ? replace(keys, draw) : Future.succeededFuture());
  }

  private Future<Void> replace(RoomStateKeys keys, Draw draw) {
    int tickets = draw.tickets();
    int blocks = (tickets + GoneTickets.BLOCK - 1) / GoneTickets.BLOCK;
    List<Future<GoneTickets>> reads = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      reads.add(GoneTickets.read(redis, keys, block));
    }
    return Future.all(reads)
        .compose(_ -> write(keys, draw, reads.stream().map(Future::result).toList()));
  }

  private Future<Void> write(RoomStateKeys keys, Draw draw, List<GoneTickets> before) {
    int tickets = draw.tickets();
    int[] drawn = new TicketOrder(draw.seed(), tickets).all();
    byte[][] after = new byte[before.size()][GoneTickets.BYTES];
    for (int ticket = 0; ticket < tickets; ticket++) {
      if (before.get(ticket / GoneTickets.BLOCK).isGone(ticket % GoneTickets.BLOCK)) {
        int bit = drawn[ticket] % GoneTickets.BLOCK;
        after[drawn[ticket] / GoneTickets.BLOCK][bit / 8] |= (byte) (1 << bit % 8);
      }
    }
    return run(keys, draw, Arrays.stream(after).map(HexFormat.of()::formatHex).toList()).mapEmpty();
  }

  private Future<RedisReply> run(RoomStateKeys keys, Draw draw, List<String> bitmaps) {
    List<String> args =
        new ArrayList<>(
            List.of(
                keys.prefix(),
                Integer.toString(draw.tickets()),
                draw.seed(),
                Long.toString(draw.epoch()),
                draw.isAnnounced() ? "1" : "0"));
    args.addAll(bitmaps);
    return redis.run(SCRIPT, List.of(keys.state()), args);
  }
}
