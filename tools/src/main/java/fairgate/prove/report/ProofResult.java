package fairgate.prove.report;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import java.util.List;
import java.util.Map;

/// The result of a proof.
///
/// @param command the exact command that repeats it
/// @param faults injected faults with their number of occurrences, and events of the buyers; in
///   order
/// @param accepts times of successful purchases, milliseconds after the start
/// @param events the actions of the run and their times
/// @param reasons why the run is inconclusive although every comparison held: a fault that did not
///   happen, a drain that took too long, an engine that did not start again
public record ProofResult(
    String command,
    Numbers numbers,
    Map<String, Integer> faults,
    Map<Invariant, InvariantResults.InvariantResult> verdicts,
    List<Long> accepts,
    List<Moment> events,
    List<String> reasons) {

  /// The size of the run.
  ///
  /// @param on the engines of the nodes besides PostgreSQL
  /// @param replies all replies
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

  /// The verdict of a run.
  public enum Conclusion {
    HELD("Everything held.", 0),
    FAILED("FAILED: something did not hold.", 1),
    INCONCLUSIVE("Inconclusive: every comparison held, but the run does not prove it.", 3);

    private final String sentence;
    private final int exitCode;

    Conclusion(String sentence, int exitCode) {
      this.sentence = sentence;
      this.exitCode = exitCode;
    }

    /// For people.
    public String sentence() {
      return sentence;
    }

    /// For scripts.
    public int exitCode() {
      return exitCode;
    }
  }

  /// An invariant that did not hold counts whatever else happened.
  public Conclusion verdict() {
    if (verdicts.values().stream().anyMatch(one -> one.broken() > 0)) {
      return Conclusion.FAILED;
    }
    return reasons.isEmpty() ? Conclusion.HELD : Conclusion.INCONCLUSIVE;
  }
}
