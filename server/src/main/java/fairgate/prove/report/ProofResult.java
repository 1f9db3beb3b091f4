package fairgate.prove.report;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.Tally.Verdict;
import java.util.List;
import java.util.Map;

/// What a proof came to.
///
/// @param command the exact command that repeats it
/// @param faults what was injected, how often it hit, and what the crowd did by itself; in order
/// @param accepts milliseconds after the beginning at which purchases were granted
/// @param events what was done, and when
/// @param notes what went wrong with the proof itself, such as a drain that took too long
public record ProofResult(
    String command,
    Numbers numbers,
    Map<String, Integer> faults,
    Map<Invariant, Verdict> verdicts,
    List<Long> accepts,
    List<Moment> events,
    List<String> notes) {

  /// How much of it there was.
  ///
  /// @param on what the nodes ran on besides PostgreSQL
  /// @param replies all answers anybody got
  public record Numbers(
      long seed,
      int nodes,
      String on,
      long seconds,
      int sales,
      int replies,
      int accepted,
      int orders) {}

  /// One line of the story.
  ///
  /// @param at milliseconds after the beginning
  public record Moment(long at, String fault, String text) {}

  /// Whether anything did not hold.
  public boolean failed() {
    return !notes.isEmpty() || verdicts.values().stream().anyMatch(one -> one.broken() > 0);
  }
}
