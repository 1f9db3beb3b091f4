package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I24;
import static fairgate.prove.check.Invariant.I25;
import static fairgate.prove.check.Invariant.I26;

import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.Waiting;
import fairgate.prove.room.RoomTrial;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/// Reads the state of waiting rooms in Redis many times a second during a proof, each time
/// atomically: checks slots and order, and records when each head was made.
public final class RoomWatch implements AutoCloseable {
  private static final long EVERY_MS = 40;

  /// Replies the live places that the lists of networks do not have, or have more than once: each
  /// is in the list of an address and in that of its network.
  private static final String UNCOUNTED =
      """
      local BLOCK = 16384
      local listed = {}
      local lists = redis.call('HVALS', KEYS[3])
      for _, list in ipairs(lists) do
        for ticket in string.gmatch(list, '%d+') do
          listed[ticket] = (listed[ticket] or 0) + 1
        end
      end
      local wrong = {}
      for ticket = 0, tonumber(redis.call('HGET', KEYS[1], 'next') or '0') - 1 do
        local bit = ticket % 8
        local gone = redis.call('GETBIT', KEYS[4], ticket - bit + 7 - bit) == 1
        local live = not gone or redis.call('ZSCORE', KEYS[2], ticket)
        local name = string.format('%d', ticket)
        if ticket < BLOCK and live and listed[name] ~= 2 then
          wrong[#wrong + 1] = name .. ' in ' .. (listed[name] or 0) .. ' lists'
        end
      end
      return wrong
      """;

  private final Engines engines;
  private final Supplier<List<RoomTrial>> trials;
  private final InvariantResults tally;
  private final Map<String, NavigableMap<Long, Made>> heads = new ConcurrentHashMap<>();
  private final Map<String, Long> looked = new ConcurrentHashMap<>();
  private final Thread thread;
  private volatile boolean over;

  /// The time at which a head was made.
  ///
  /// @param from `System.nanoTime()` before which it was not made yet
  /// @param to the same by which it was made
  /// @param at ms by Redis
  /// @param cursor of the room at `to`
  record Made(long from, long to, long at, long cursor) {}

  /// @param trials the rooms there are now
  public RoomWatch(Engines engines, Supplier<List<RoomTrial>> trials, InvariantResults tally) {
    this.engines = engines;
    this.trials = trials;
    this.tally = tally;
    this.thread = Thread.ofVirtual().name("room-watch").start(this::run);
  }

  /// When the heads of a room were made, by sequence number. A head that was not seen was made in
  /// the time of the next one.
  NavigableMap<Long, Made> heads(String room) {
    return heads.computeIfAbsent(room, _ -> new ConcurrentSkipListMap<>());
  }

  private void run() {
    try (RedisConnections lines = new RedisConnections(engines)) {
      while (!over) {
        for (RoomTrial trial : trials.get()) {
          if (trial.ended() == Long.MAX_VALUE) {
            lines.look(trial.room(), redis -> look(redis, trial));
          }
        }
        Waiting.rest(EVERY_MS);
      }
    }
  }

  private void look(Resp redis, RoomTrial trial) throws IOException {
    String prefix = "room:{" + trial.room() + "}:";
    long from = looked.getOrDefault(trial.room(), trial.begun());
    long before = System.nanoTime();
    var all =
        redis.together(
            List.of(
                new String[] {"HMGET", prefix + "state", "seq", "head_at", "cursor"},
                new String[] {"ZCARD", prefix + "inside"},
                new String[] {"ZCARD", prefix + "reserved"},
                new String[] {"ZRANGE", prefix + "due", "0", "0"},
                new String[] {"ZREVRANGE", prefix + "reserved_order", "0", "0"},
                new String[] {
                  "EVAL",
                  UNCOUNTED,
                  "4",
                  prefix + "state",
                  prefix + "inside",
                  prefix + "networks:0",
                  prefix + "gone:0"
                }));
    long to = System.nanoTime();
    looked.put(trial.room(), before);
    List<String> state = Resp.texts(all.getFirst());
    if (state.getFirst().isEmpty()) {
      return;
    }
    long slots = number(String.valueOf(all.get(1))) + number(String.valueOf(all.get(2)));
    tally.that(
        I25,
        slots <= trial.capacity(),
        "%s: %d slots of %d are taken",
        trial.room(),
        slots,
        trial.capacity());
    List<String> uncounted = Resp.texts(all.get(5));
    tally.that(I24, uncounted.isEmpty(), "%s: live places %s", trial.room(), uncounted);
    List<String> due = Resp.texts(all.get(3));
    List<String> reserved = Resp.texts(all.get(4));
    if (!due.isEmpty() && !reserved.isEmpty() && !trial.patient()) {
      tally.that(
          I26,
          number(due.getFirst()) > number(reserved.getFirst()),
          "%s: %s waits for a slot that %s has",
          trial.room(),
          due.getFirst(),
          reserved.getFirst());
    }
    made(
        trial.room(),
        number(state.get(0)),
        new Made(from, to, number(state.get(1)), number(state.get(2))));
  }

  /// After a restart Redis may have lost a head that nobody got, and made another one.
  private void made(String room, long sequence, Made made) {
    NavigableMap<Long, Made> known = heads(room);
    Made had = known.get(sequence);
    if (had == null || had.at() != made.at() || known.lastKey() > sequence) {
      known.tailMap(sequence, true).clear();
      known.put(sequence, made);
    }
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  @Override
  public void close() {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
