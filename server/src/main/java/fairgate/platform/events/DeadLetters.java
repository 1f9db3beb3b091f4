package fairgate.platform.events;

/// Keeps the entries no sink would take, for an operator to look at.
public interface DeadLetters {
  /// Keeps the entry, durably; a repeat changes nothing. Blocks. Throws as `OutboxSink.apply` does.
  void park(OutboxStream stream, OutboxEntry entry, String error, int tries);

  /// How many entries are parked and not resolved. Blocks.
  long open();
}
