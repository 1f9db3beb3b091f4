package fairgate.redeem.orders;

import java.time.Duration;

/// The remote order system.
///
/// @param url its base address; empty = none
/// @param token sent as a bearer token; empty = none
/// @param timeLimit of one call, body included
/// @param failures consecutive failures that open the circuit breaker
/// @param pause pause of the open circuit breaker
public record OrderSystemConfig(
    String url, String token, Duration timeLimit, int failures, Duration pause) {
  /// At this address: 3 s a call; 5 failures in a row give it 10 s of rest.
  public static OrderSystemConfig at(String url, String token) {
    return new OrderSystemConfig(url, token, Duration.ofSeconds(3), 5, Duration.ofSeconds(10));
  }

  @Override
  public String toString() {
    return "OrderSystemConfig[" + url + "]";
  }
}
