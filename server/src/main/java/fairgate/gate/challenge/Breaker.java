package fairgate.gate.challenge;

/// Counts failures in a row and says when to stop calling. Closed again by one success only, which
/// somebody must go and look for.
final class Breaker {
  private final int limit;
  private int failures;

  /// @param limit so many failures in a row open it
  Breaker(int limit) {
    this.limit = limit;
  }

  /// Counts a failure; true when this one opened the breaker.
  synchronized boolean failed() {
    failures = Math.min(failures + 1, limit + 1);
    return failures == limit;
  }

  /// Closes it; true when it was open.
  synchronized boolean succeeded() {
    boolean wasOpen = isOpen();
    failures = 0;
    return wasOpen;
  }

  synchronized boolean isOpen() {
    return failures >= limit;
  }
}
