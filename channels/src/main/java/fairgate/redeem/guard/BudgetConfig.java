package fairgate.redeem.guard;

import java.time.Duration;

/// How much a caller may try; 0 is "as much as it likes" or "never".
///
/// @param perMinute attempts of one address in any minute
/// @param perDay attempts of one device in any 24 hours
/// @param perOrder attempts on one order in any hour, by whomever
/// @param misses misses of one device in any hour; of one address, `ADDRESS_TIMES` as many
/// @param banAfter misses of one device in any 24 hours that bar it; likewise of one address
/// @param banFor for how long it is barred
public record BudgetConfig(
    int perMinute, int perDay, int perOrder, int misses, int banAfter, Duration banFor) {
  /// An address stands for many devices: so many times the misses of one are its own.
  static final int ADDRESS_TIMES = 5;

  /// 10 a minute, 20 a day, 30 an hour on one order; 10 misses an hour, 20 a day bar for an hour.
  public static BudgetConfig defaults() {
    return new BudgetConfig(10, 20, 30, 10, 20, Duration.ofHours(1));
  }
}
