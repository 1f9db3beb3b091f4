package fairgate.prove.room;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// One waiting room of a proof, and its visitors. Thread-safe.
public final class RoomTrial {
  private final String room;
  private final int capacity;
  private final String sale;
  private final long begun = System.nanoTime();
  private final Queue<RoomVisit> visits = new ConcurrentLinkedQueue<>();
  private volatile long ended = Long.MAX_VALUE;

  /// @param sale the product behind the room; empty for the room in which nobody is admitted before
  ///   the end of the run
  RoomTrial(String room, int capacity, String sale) {
    this.room = room;
    this.capacity = capacity;
    this.sale = sale;
  }

  public String room() {
    return room;
  }

  public int capacity() {
    return capacity;
  }

  /// Whether it was paused for a time.
  public boolean patient() {
    return sale.isEmpty();
  }

  /// The product behind the room; empty without.
  String sale() {
    return sale;
  }

  /// `System.nanoTime()`.
  public long begun() {
    return begun;
  }

  /// `System.nanoTime()` after the last visitor's last call; the greatest number until then.
  public long ended() {
    return ended;
  }

  public List<RoomVisit> visits() {
    return List.copyOf(visits);
  }

  RoomVisit visit() {
    RoomVisit visit = new RoomVisit();
    visits.add(visit);
    return visit;
  }

  void end() {
    ended = System.nanoTime();
  }
}
