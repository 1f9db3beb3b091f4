package fairgate.redeem.orders;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;

/// The remote order system.
///
/// @param url its base address; empty = none
/// @param token sent as a bearer token; empty = none
/// @param timeLimit of one call, body included
/// @param failures consecutive failures that open the circuit breaker
/// @param pause pause of the open circuit breaker
/// @param zone of times without an offset
public record OrderSystemConfig(
    String url, String token, Duration timeLimit, int failures, Duration pause, ZoneId zone) {
  /// At this address: 3 s a call; 5 failures in a row give it 10 s of rest; local times are in UTC.
  public static OrderSystemConfig at(String url, String token) {
    return new OrderSystemConfig(
        url, token, Duration.ofSeconds(3), 5, Duration.ofSeconds(10), ZoneOffset.UTC);
  }

  @Override
  public String toString() {
    return "OrderSystemConfig[" + url + "]";
  }
}
