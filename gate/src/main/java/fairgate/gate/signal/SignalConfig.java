package fairgate.gate.signal;

/// Settings of signals.
///
/// @param transport what trusted proxies report
/// @param alarmFailures refused requests of one client in ten minutes from which the alarm counts
///   it
public record SignalConfig(TransportConfig transport, int alarmFailures) {
  /// The defaults: no headers of proxies.
  public static SignalConfig defaults() {
    return new SignalConfig(TransportConfig.none(), 300);
  }
}
