package fairgate.room;

import fairgate.platform.redis.RedisReply;
import java.util.Arrays;
import java.util.OptionalLong;

/// What the head of a room says, as read from Redis.
///
/// @param issuedAt ms of Redis time
/// @param gone the number of gone tickets from the cursor on, by block
/// @param rates departures per second over 1, 5 and 15 minutes
/// @param stockLeft units left; empty when the room does not know its stock
/// @param stockShare units that one visitor takes on average
/// @param drawn the number of drawn tickets; 0 for none
/// @param drawnEpoch the epoch of the announced draw that gave the order; 0 for none, also for an
///   order that the server shuffled
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record HeadFacts(
    long sequence,
    long issuedAt,
    long epoch,
    Room.Phase phase,
    long cursor,
    long last,
    int[] gone,
    double[] rates,
    OptionalLong stockLeft,
    double stockShare,
    int drawn,
    String seed,
    long drawnEpoch) {
  /// Reads the reply of `read_head.lua`.
  static HeadFacts of(RedisReply reply) {
    String stock = reply.textAt(9);
    String share = reply.textAt(10);
    return new HeadFacts(
        reply.at(1).number(),
        reply.at(2).number(),
        Long.parseLong(reply.textAt(3)),
        Room.Phase.of(reply.textAt(4)),
        reply.at(5).number(),
        reply.at(6).number(),
        Arrays.stream(reply.textAt(7).split(",", -1)).mapToInt(Integer::parseInt).toArray(),
        Arrays.stream(reply.textAt(8).split(",", -1)).mapToDouble(Double::parseDouble).toArray(),
        stock.isEmpty() ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(stock)),
        share.isEmpty() ? 1 : Double.parseDouble(share),
        Integer.parseInt(reply.textAt(11)),
        reply.textAt(12),
        Long.parseLong(reply.textAt(13)));
  }

  /// The ticket before which exactly this many waiting tickets are, about: within a block, the gone
  /// ones are taken to be spread evenly. At most the number of tickets.
  long ticketAfter(double waiting) {
    double left = waiting;
    long from = cursor;
    for (int block = (int) (cursor / GoneTickets.BLOCK); block < gone.length; block++) {
      long end = Math.min(last, (block + 1L) * GoneTickets.BLOCK);
      long alive = end - from - gone[block];
      if (alive > 0 && left < alive) {
        return from + (long) (left * (end - from) / alive);
      }
      left -= Math.max(0, alive);
      from = end;
    }
    return last;
  }
}
