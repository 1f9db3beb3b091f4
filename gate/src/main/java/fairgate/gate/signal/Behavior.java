package fairgate.gate.signal;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Request;
import java.util.Optional;

/// How a visitor used the page of a sale before the join, as `behavior.js` counts it. Numbers only:
/// no positions, no times of day, no keys.
///
/// @param pageMillis from the load of the page to the join
/// @param moves of the mouse, pen or finger of at least 4 pixels
/// @param path their length in pixels
/// @param entropy of their directions, percent
/// @param straightness distance between the ends of each stroke in percent of its path
/// @param pauses of more than a quarter of a second between moves
/// @param focusChanges times that the window lost or got the focus
record Behavior(
    long pageMillis,
    long moves,
    long path,
    long entropy,
    long straightness,
    long pauses,
    long focusChanges,
    Rhythm keys,
    Rhythm presses) {
  static final String FIELD = "behavior";

  private static final long LONGEST_MILLIS = 86_400_000;
  private static final long MOST_MOVES = 9_999;
  private static final long LONGEST_PATH = 999_999;
  private static final long MOST = 999;
  private static final long LONGEST_INTERVAL = 60_000;

  /// Keys or presses.
  ///
  /// @param meanMillis between two of them
  /// @param spread standard deviation of the intervals in percent of their mean
  record Rhythm(long count, long meanMillis, long spread) {
    private static Rhythm of(JsonBody sent, String count, String unit) {
      return new Rhythm(
          sent.longInteger(count, 0, MOST),
          sent.longInteger(unit + "_ms", 0, LONGEST_INTERVAL),
          sent.longInteger(unit + "_spread", 0, MOST));
    }
  }

  /// The numbers in the body of a request; empty when there are none, when one is missing or beyond
  /// its bounds, or when the body is a form. A visitor whose browser counts wrongly still joins.
  static Optional<Behavior> of(Request request) {
    try {
      return Optional.ofNullable(request.json().optionalObject(FIELD)).map(Behavior::of);
    } catch (InvalidRequest e) {
      return Optional.empty();
    }
  }

  private static Behavior of(JsonBody sent) {
    return new Behavior(
        sent.longInteger("page_ms", 0, LONGEST_MILLIS),
        sent.longInteger("moves", 0, MOST_MOVES),
        sent.longInteger("path", 0, LONGEST_PATH),
        sent.longInteger("entropy", 0, 100),
        sent.longInteger("straight", 0, 100),
        sent.longInteger("pauses", 0, MOST),
        sent.longInteger("focus", 0, MOST),
        Rhythm.of(sent, "keys", "key"),
        Rhythm.of(sent, "presses", "press"));
  }
}
