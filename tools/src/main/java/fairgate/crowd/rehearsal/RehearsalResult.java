package fairgate.crowd.rehearsal;

import fairgate.crowd.rehearsal.Tally.Step;

/// What became of a crowd.
///
/// @param provider the challenge at the server's door
public record RehearsalResult(RehearsalPlan plan, String server, String provider, Tally tally) {

  int units(Kind kind) {
    return tally.count(kind, Step.UNITS);
  }

  /// The bots' part of what was sold, 0 to 1; 0 when nothing was.
  public double botShare() {
    int all = units(Kind.HONEST) + units(Kind.BOT);
    return all == 0 ? 0 : units(Kind.BOT) / (double) all;
  }

  /// Units the crowd was told it had.
  public int sold() {
    return units(Kind.HONEST) + units(Kind.BOT);
  }

  /// Answers of status 500.
  public int serverErrors() {
    return tally.serverErrors();
  }

  /// Whether more was sold than there was.
  public boolean oversold() {
    return sold() > plan.units();
  }
}
