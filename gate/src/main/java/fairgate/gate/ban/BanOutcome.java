package fairgate.gate.ban;

/// The outcome of adding an entry.
public sealed interface BanOutcome {
  /// In force on this node, and on all nodes within a second.
  record Added(Ban ban) implements BanOutcome {}

  /// An entry existed. It now has the later of the two ends, and the new reason and actor.
  record Extended(Ban ban) implements BanOutcome {}

  /// An entry existed that an appeal must not change.
  record Kept(Ban ban) implements BanOutcome {}

  /// The list has reached its limit of entries in memory.
  record Full(int limit) implements BanOutcome {}
}
