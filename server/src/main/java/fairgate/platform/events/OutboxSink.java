package fairgate.platform.events;

import java.util.List;

/// Where the relay hands entries on to.
public interface OutboxSink {
  /// Takes all entries or none, durably. Blocks; called on virtual threads, by several relays at a
  /// time.
  ///
  /// Entries may come again and in any order; a repeat must change nothing. Throws
  /// ServiceUnavailable when the other side cannot answer now: the relay repeats the call until it
  /// can. Any other exception means that some entry cannot be taken for what it says: the relay
  /// finds out which, and parks it when it fails again and again.
  void apply(OutboxStream stream, List<OutboxEntry> entries);
}
