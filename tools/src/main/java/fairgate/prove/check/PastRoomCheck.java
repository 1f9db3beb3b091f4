package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I39;

import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.Waiting;
import fairgate.prove.room.RoomCrowd;
import fairgate.prove.room.RoomGuest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/// A waiting room whose cursor has passed whole blocks of tickets, and in which one visitor never
/// came: its place ends, and places that have ended stay so. Then the room is deleted and created
/// again, without what was before.
///
/// The tickets between the visitors, and the time in which nobody is heard, are made in Redis: a
/// block has 16,384 tickets, and a visitor is absent after ten minutes.
public final class PastRoomCheck {
  private static final long BLOCK = 16_384;

  /// An absence takes two whole periods after the one in which the visitor was seen last.
  private static final int PERIODS = 4;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /// A room with a fault may never finish a block.
  private static final Duration FINISH = Duration.ofSeconds(5);

  private final Engines engines;
  private final RoomCrowd crowd;
  private final InvariantResults tally;

  public PastRoomCheck(Engines engines, RoomCrowd crowd, InvariantResults tally) {
    this.engines = engines;
    this.crowd = crowd;
    this.tally = tally;
  }

  /// Opens the room and judges it, while no fault is active.
  ///
  /// @return false if no server answers the operator
  public boolean check(String room) throws IOException {
    if (!crowd.openEmpty(room)) {
      return false;
    }
    RoomGuest absent = crowd.guest(room);
    RoomGuest inside = crowd.guest(room);
    RoomGuest waiting = crowd.guest(room);
    absent.join();
    inside.join();
    boolean _ = Waiting.holds(PATIENCE, inside::visit);
    String state = "room:{" + room + "}:state";
    try (Resp redis = engines.master(room).open()) {
      String last = Long.toString(2 * BLOCK);
      var _ = redis.value("HSET", state, "next", last, "cursor", last);
      waiting.join();
      for (int period = 0; period < PERIODS; period++) {
        var _ = redis.value("HSET", state, "period_at", "0");
        waiting.here();
        boolean _ = Waiting.holds(PATIENCE, () -> isSwept(redis, state));
      }
      boolean _ =
          Waiting.holds(FINISH, () -> last.equals(fields(redis, state, "oldest").getFirst()));
    }
    judge(room, absent, inside, waiting);
    return again(room, waiting);
  }

  private void judge(String room, RoomGuest absent, RoomGuest inside, RoomGuest waiting) {
    for (RoomGuest one : List.of(absent, inside)) {
      String answer = one.enter();
      tally.that(
          I39,
          answer.equals("PLACE_GONE"),
          "%s: ticket %d ended blocks before the cursor, and entering gives %s",
          room,
          one.ticket(),
          answer);
      long had = one.ticket();
      one.join();
      tally.that(
          I39, one.ticket() > had, "%s: ticket %d has ended, and was given again", room, had);
    }
    long kept = waiting.ticket();
    waiting.join();
    tally.that(
        I39,
        waiting.ticket() == kept,
        "%s: ticket %d is present, and was replaced by %d",
        room,
        kept,
        waiting.ticket());
  }

  private boolean again(String room, RoomGuest waiting) {
    if (!crowd.remove(room) || !crowd.openEmpty(room)) {
      return false;
    }
    RoomGuest first = crowd.guest(room);
    boolean _ =
        Waiting.holds(
            PATIENCE,
            () -> {
              first.join();
              return first.epoch() > waiting.epoch();
            });
    tally.that(
        I39,
        first.ticket() == 0 && first.epoch() > waiting.epoch(),
        "%s: created again, and the first ticket is %d of epoch %d, after epoch %d",
        room,
        first.ticket(),
        first.epoch(),
        waiting.epoch());
    String answer = waiting.enter();
    tally.that(
        I39,
        answer.equals("INVALID_PLACE_TOKEN"),
        "%s: created again, and a place of before gives %s",
        room,
        answer);
    return true;
  }

  private static boolean isSwept(Resp redis, String state) {
    List<String> both = fields(redis, state, "period", "swept");
    return Long.parseLong('0' + both.get(1)) >= Long.parseLong('0' + both.getFirst());
  }

  private static List<String> fields(Resp redis, String state, String... names) {
    try {
      String[] command = new String[names.length + 2];
      command[0] = "HMGET";
      command[1] = state;
      System.arraycopy(names, 0, command, 2, names.length);
      return redis.texts(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
