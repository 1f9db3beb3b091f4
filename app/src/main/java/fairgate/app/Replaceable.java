package fairgate.app;

import fairgate.account.AccountConfig;
import fairgate.kernel.Ids;
import java.time.Clock;

/// What tests replace in a server.
///
/// @param hashing cost of password hashes
public record Replaceable(Clock clock, Ids ids, AccountConfig.Hashing hashing) {
  /// The system clock, random ids, and password hashes at their full cost.
  static Replaceable real() {
    return withClock(Clock.systemUTC());
  }

  /// The same with another clock.
  static Replaceable withClock(Clock clock) {
    return new Replaceable(clock, new RandomIds(clock), AccountConfig.defaults().hashing());
  }
}
