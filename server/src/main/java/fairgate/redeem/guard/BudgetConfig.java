package fairgate.redeem.guard;

import java.time.Duration;

/// How much a caller may try; 0 is "as much as it likes" or "never".
///
/// @param perMinute attempts of one address in any minute
/// @param perDay attempts of one device in any 24 hours
/// @param perOrder attempts on one order in any hour, by whomever
/// @param misses misses of one address or device in any hour
/// @param banAfter misses of one address or device in any 24 hours that bar it
/// @param banFor for how long it is barred
public record BudgetConfig(
    int perMinute, int perDay, int perOrder, int misses, int banAfter, Duration banFor) {
  /// 10 a minute, 20 a day, 30 an hour on one order; 10 misses an hour, 20 a day bar for an hour.
  public static BudgetConfig defaults() {
    return new BudgetConfig(10, 20, 30, 10, 20, Duration.ofHours(1));
  }
}
