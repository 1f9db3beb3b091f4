package fairgate.room;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The metrics of the rooms. Their label is the room's id; there are at most [Rooms#MAX_ROOMS].
final class RoomMeters {
  private final Metrics metrics;
  private final Map<String, Meters> rooms = new ConcurrentHashMap<>();

  RoomMeters(Metrics metrics) {
    this.metrics = metrics;
  }

  /// The meters of one room.
  private final class Meters {
    private final Counter admitted;
    private final Counter absent;
    private volatile long waiting;
    private volatile long inside;

    Meters(String room) {
      admitted =
          metrics.counter(
              "fairgate_room_admitted_total", "Tickets whose turn has come", "room", room);
      absent =
          metrics.counter(
              "fairgate_room_absent_total", "Tickets that ended by absence", "room", room);
      metrics.gauge(
          "fairgate_room_waiting", "Tickets behind the cursor", () -> waiting, "room", room);
      metrics.gauge(
          "fairgate_room_inside", "Visitors inside and reserved slots", () -> inside, "room", room);
    }
  }

  void moved(String room, AdvanceRoomScript.Run.Moved run) {
    Meters meters = of(room);
    meters.admitted.increment(run.admitted());
    meters.waiting = run.tickets() - run.cursor();
    meters.inside = (long) run.inside() + run.reserved();
  }

  void absent(String room, long tickets) {
    of(room).absent.increment((double) tickets);
  }

  private Meters of(String room) {
    return rooms.computeIfAbsent(room, Meters::new);
  }
}
