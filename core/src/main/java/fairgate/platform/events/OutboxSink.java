package fairgate.platform.events;

import java.util.List;

/// The target of a relay.
public interface OutboxSink {
  /// Stores all entries durably. Blocks; called on virtual threads, by several relays at a time. A
  /// sink around another one may fail after the inner one has stored them; the repeat completes it.
  ///
  /// Entries may be repeated and arrive in any order; a repeat must change nothing.
  /// ServiceUnavailable means a temporary failure: the relay retries until it succeeds. Any other
  /// exception means that an entry is refused because of its content: the relay finds that entry
  /// and parks it after repeated failures.
  void apply(OutboxStream stream, List<OutboxEntry> entries);

  /// A store for entries that the sink refuses, for review by an operator.
  interface DeadLetters {
    /// Stores the entry durably; a repeat has no effect. Blocks. Throws like `OutboxSink.apply`.
    void park(OutboxStream stream, OutboxEntry entry, String error, int tries);

    /// The number of unresolved entries. Blocks.
    long open();
  }
}
