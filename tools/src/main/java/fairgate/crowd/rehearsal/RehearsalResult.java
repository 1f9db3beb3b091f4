package fairgate.crowd.rehearsal;

import fairgate.crowd.rehearsal.Tally.Step;

/// The result of a rehearsal.
///
/// @param provider the challenge of the server
public record RehearsalResult(RehearsalPlan plan, String server, String provider, Tally tally) {

  int units(Kind kind) {
    return tally.count(kind, Step.UNITS);
  }

  /// The bots' share of the sold units, 0 to 1; 0 if none was sold.
  public double botShare() {
    int all = units(Kind.HONEST) + units(Kind.BOT);
    return all == 0 ? 0 : units(Kind.BOT) / (double) all;
  }

  /// The units in successful replies.
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
