package fairgate.gate.signal;

/// Settings of signals.
///
/// @param transport what trusted proxies report
/// @param behavior whether numbers of a visitor's behavior on the page are evidence
/// @param alarmFailures refused requests of one client in ten minutes from which the alarm counts
///   it
public record SignalConfig(TransportConfig transport, boolean behavior, int alarmFailures) {
  /// The defaults: no headers of proxies.
  public static SignalConfig defaults() {
    return new SignalConfig(TransportConfig.none(), true, 300);
  }
}
