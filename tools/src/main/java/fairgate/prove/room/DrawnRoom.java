package fairgate.prove.room;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.prove.environment.Waiting;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A waiting room whose order is drawn by a public beacon, and guests who come before its opening
/// and stay. Nobody is admitted before the end of the run.
public final class DrawnRoom implements AutoCloseable {
  private static final int GUESTS = 12;

  /// Half of the guests can enter.
  private static final int CAPACITY = GUESTS / 2;

  private static final int HERE_S = 20;

  /// Clocks of the proof and of Redis.
  private static final int MARGIN_S = 1;

  private final RoomCrowd crowd;
  private final String room;
  private final Clock clock;
  private final List<Guest> guests = new ArrayList<>();
  private volatile boolean isOver;
  private Thread thread = Thread.ofVirtual().unstarted(() -> {});

  private record Guest(RoomGuest browser, boolean isEarly) {}

  /// What a guest was told.
  ///
  /// @param ticket -1 for none
  /// @param isEarly whether the ticket was given before the opening
  /// @param answer `ENTER`, or the code of the refusal
  /// @param before the cursor before it asked
  /// @param after the cursor afterwards
  public record Told(
      long ticket, long epoch, boolean isEarly, String answer, long before, long after) {}

  public DrawnRoom(RoomCrowd crowd, String room, Clock clock) {
    this.crowd = crowd;
    this.room = room;
    this.clock = clock;
  }

  public String room() {
    return room;
  }

  /// Opens the room at a time; false if no server answers the operator.
  public boolean open(Instant opensAt) {
    if (!crowd.openDrawn(room, opensAt, CAPACITY)) {
      return false;
    }
    thread = Thread.ofVirtual().name("drawn-room").start(() -> stay(opensAt));
    return true;
  }

  private void stay(Instant opensAt) {
    for (int i = 0; i < GUESTS && !isOver; i++) {
      RoomGuest guest = crowd.guest(room);
      guest.join();
      boolean isEarly = clock.instant().plusSeconds(MARGIN_S).isBefore(opensAt);
      guests.add(new Guest(guest, isEarly));
    }
    while (!isOver) {
      Waiting.rest(1_000);
      if (clock.instant().getEpochSecond() % HERE_S == 0) {
        guests.forEach(guest -> guest.browser().here());
      }
    }
  }

  /// The document that browsers read; without members if no server answers.
  public JsonNode head() {
    return crowd.head(room);
  }

  /// Admits guests, and has all of them try to enter. Called once, when the order is drawn.
  public List<Told> enter() {
    close();
    boolean _ = crowd.admit(room);
    boolean _ = Waiting.holds(RoomCrowd.SOON, () -> head().path("cursor").asLong() >= CAPACITY);
    List<Told> told = new ArrayList<>();
    for (Guest guest : guests) {
      long before = head().path("cursor").asLong();
      String answer = guest.browser().enter();
      long after = head().path("cursor").asLong();
      told.add(
          new Told(
              guest.browser().ticket(),
              guest.browser().epoch(),
              guest.isEarly(),
              answer,
              before,
              after));
    }
    return told;
  }

  @Override
  public void close() {
    isOver = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
