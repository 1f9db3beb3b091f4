package fairgate.platform.events;

/// A store for entries that the sink refuses, for review by an operator.
public interface DeadLetters {
  /// Stores the entry durably; a repeat has no effect. Blocks. Throws like `OutboxSink.apply`.
  void park(OutboxStream stream, OutboxEntry entry, String error, int tries);

  /// The number of unresolved entries. Blocks.
  long open();
}
