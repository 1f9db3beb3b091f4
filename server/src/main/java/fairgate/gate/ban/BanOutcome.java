package fairgate.gate.ban;

/// What adding an entry came to.
public sealed interface BanOutcome {
  /// It is in force here, and within a second everywhere.
  record Added(Ban ban) implements BanOutcome {}

  /// There was one already; it now has the later of the two ends, the new reason and actor.
  record Extended(Ban ban) implements BanOutcome {}

  /// The list holds as many entries as every node can keep in memory.
  record Full(int most) implements BanOutcome {}
}
