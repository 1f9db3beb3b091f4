package fairgate.gate.limit.node;

/// Who shares the limits with this node. Asked from any thread.
public interface Company {
  /// Who counts what is over within a second.
  enum Counts {
    /// Redis, for all nodes.
    REDIS,
    /// Redis, for a second while one follows the other: both tell each other what they counted.
    BOTH,
    /// This node, which is surely the only one.
    NODE
  }

  /// How many nodes there are, this one included, as far as is known.
  int alive();

  /// Who counts at this time of `System.nanoTime()`.
  Counts at(long now);
}
