package fairgate.kernel;

/// Where every feature says what happened. `platform.audit` stands behind it.
@FunctionalInterface
public interface Audit {
  /// Remembers the event, within a second or so. Never blocks and never fails; what does not fit
  /// into memory is dropped, counted and shown.
  void note(AuditEvent event);

  /// For where nothing is remembered.
  static Audit none() {
    return _ -> {};
  }
}
