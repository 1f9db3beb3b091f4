package fairgate.prove.report;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import java.util.List;
import java.util.Map;

/// What a proof came to.
///
/// @param command the exact command that repeats it
/// @param faults what was injected, how often it hit, and what the crowd did by itself; in order
/// @param accepts milliseconds after the beginning at which purchases were granted
/// @param events what was done, and when
/// @param reasons why the run proves nothing although every comparison held: a fault that did not
///   happen, a drain that took too long, an engine that did not start again
public record ProofResult(
    String command,
    Numbers numbers,
    Map<String, Integer> faults,
    Map<Invariant, InvariantResults.Verdict> verdicts,
    List<Long> accepts,
    List<Moment> events,
    List<String> reasons) {

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

  /// What a run shows.
  public enum Verdict {
    HELD("Everything held.", 0),
    FAILED("FAILED: something did not hold.", 1),
    INCONCLUSIVE("Inconclusive: every comparison held, but the run does not prove it.", 3);

    private final String sentence;
    private final int exitCode;

    Verdict(String sentence, int exitCode) {
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
  public Verdict verdict() {
    if (verdicts.values().stream().anyMatch(one -> one.broken() > 0)) {
      return Verdict.FAILED;
    }
    return reasons.isEmpty() ? Verdict.HELD : Verdict.INCONCLUSIVE;
  }
}
