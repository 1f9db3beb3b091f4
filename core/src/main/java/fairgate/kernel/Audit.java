package fairgate.kernel;

/// Receives audit events from the features. Implemented by `platform.audit`.
@FunctionalInterface
public interface Audit {
  /// Records the event within about a second. Never blocks and never fails; an event that does not
  /// fit into memory is dropped, counted and reported.
  void note(AuditEvent event);

  /// The number of events that one event stands for: 1 usually, 0 when it should be left out
  /// because there are many, more when it represents others that were left out. Call it before
  /// creating the event, and pass the value as the fact `weight` unless it is 1.
  default int weight(AuditEvent.Kind kind, String what) {
    return 1;
  }

  /// The same for the refusal of a request that no rate limit has counted. Anybody can send any
  /// number of those.
  default int weightOfUnlimited(String refusal) {
    return 1;
  }

  static Audit none() {
    return _ -> {};
  }
}
