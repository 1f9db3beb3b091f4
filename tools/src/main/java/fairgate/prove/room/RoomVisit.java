package fairgate.prove.room;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The calls of one visitor of a waiting room, and the places that it saw. Thread-safe.
public final class RoomVisit {
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Queue<Shown> shown = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  /// The operation that a call requests.
  public enum Step {
    JOIN,
    HERE,
    LEAVE,
    ENTER,
    /// Somebody else tries to enter with the visitor's place token.
    THEFT,
    EXCHANGE,
    /// Asks for a ticket while its visit goes on.
    REJOIN,
    /// Joins the sale behind the room with the pass.
    SALE,
    /// Another browser does so with the same pass.
    SHARED_SALE,
    RELEASE
  }

  /// One call and its reply.
  ///
  /// @param ticket of a join; -1 without
  /// @param turn of an entry or an exchange; empty without
  /// @param sent `System.nanoTime()` before the call
  /// @param got the same after its reply, or after the timeout
  /// @param status 0 without a reply
  /// @param code of a refusal; empty without
  public record Call(
      Step step, long ticket, String turn, long sent, long got, int status, String code) {
    /// Whether the server did what was asked.
    public boolean ok() {
      return status >= 200 && status < 400;
    }

    /// Whether the server may have done it: there is no reply, or one that does not tell.
    public boolean possible() {
      return ok() || status == 0 || status >= 500;
    }
  }

  /// A place as a browser computes it from a head and a tile.
  ///
  /// @param sequence of the head
  /// @param ticket the visitor's
  /// @param ahead people ahead; -1 when the tile was not the one of the head
  /// @param gone the head's number of gone tickets from the cursor on
  public record Shown(long sequence, long cursor, long last, long ticket, long ahead, long gone) {}

  void add(Call call) {
    calls.add(call);
  }

  void add(Shown place) {
    shown.add(place);
  }

  void end() {
    isOver = true;
  }

  boolean isOver() {
    return isOver;
  }

  /// Its ticket and its newest call.
  @Override
  public String toString() {
    List<Call> all = calls();
    String last = all.isEmpty() ? "no call" : all.getLast().toString();
    return "ticket %d at %d: %s".formatted(ticket(), System.nanoTime(), last);
  }

  /// The calls so far, in order.
  public List<Call> calls() {
    return List.copyOf(calls);
  }

  /// The calls of one kind so far, in order.
  public List<Call> calls(Step step) {
    return calls.stream().filter(call -> call.step() == step).toList();
  }

  /// The places so far, in order.
  public List<Shown> shown() {
    return List.copyOf(shown);
  }

  /// The ticket of the first answered join; -1 without.
  public long ticket() {
    return calls.stream()
        .filter(call -> call.step() == Step.JOIN && call.ok())
        .mapToLong(Call::ticket)
        .findFirst()
        .orElse(-1);
  }
}
