package fairgate.redeem.guard;

import java.time.Duration;

/// Limits of claim attempts; 0 = unlimited, or never.
///
/// @param perMinute attempts of one address in any minute
/// @param perDay attempts of one device in any 24 hours
/// @param perOrder attempts on one order in any hour, by all callers
/// @param misses misses of one device in any hour; of one address, `ADDRESS_TIMES` as many
/// @param banAfter misses of one device in any 24 hours that ban it; likewise of one address
/// @param banFor duration of the ban
public record BudgetConfig(
    int perMinute, int perDay, int perOrder, int misses, int banAfter, Duration banFor) {
  /// One address can have many devices, so its limits for misses are this multiple of those of a
  /// device.
  static final int ADDRESS_TIMES = 5;

  /// 10 a minute, 20 a day, 30 an hour on one order; 10 misses an hour, 20 a day bar for an hour.
  public static BudgetConfig defaults() {
    return new BudgetConfig(10, 20, 30, 10, 20, Duration.ofHours(1));
  }
}
