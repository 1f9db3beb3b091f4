package fairgate.kernel;

/// Where every feature says what happened. `platform.audit` stands behind it.
@FunctionalInterface
public interface Audit {
  /// Remembers the event, within a second or so. Never blocks and never fails; what does not fit
  /// into memory is dropped, counted and shown.
  void note(AuditEvent event);

  /// How many of its like an event would stand for: 1 as a rule; 0 when there are so many that it
  /// is left out; more for one that stands for those left out before it. To be asked before an
  /// event is put together, and given on as the fact `weight` where it is not 1.
  default int weight(AuditEvent.Kind kind, String what) {
    return 1;
  }

  /// For where nothing is remembered.
  static Audit none() {
    return _ -> {};
  }
}
