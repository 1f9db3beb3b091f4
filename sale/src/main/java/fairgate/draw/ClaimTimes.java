package fairgate.draw;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/// The ends of offers. An offer ends between 08:00 and 22:00 local time, so that nobody loses it
/// asleep.
final class ClaimTimes {
  private static final LocalTime MORNING = LocalTime.of(8, 0);
  private static final LocalTime EVENING = LocalTime.of(22, 0);

  private ClaimTimes() {}

  /// The end of an offer that begins now, ms: after the claim time, or if that is at night, after
  /// the claim time of the next morning, at most in its evening.
  static long endOf(long now, long claimMinutes, ZoneId zone) {
    Duration claim = Duration.ofMinutes(claimMinutes);
    ZonedDateTime end = Instant.ofEpochMilli(now).plus(claim).atZone(zone);
    LocalTime time = end.toLocalTime();
    if (!time.isBefore(MORNING) && !time.isAfter(EVENING)) {
      return end.toInstant().toEpochMilli();
    }
    LocalDate day = time.isBefore(MORNING) ? end.toLocalDate() : end.toLocalDate().plusDays(1);
    ZonedDateTime morning = day.atTime(MORNING).atZone(zone);
    ZonedDateTime evening = day.atTime(EVENING).atZone(zone);
    ZonedDateTime later = morning.plus(claim);
    return (later.isAfter(evening) ? evening : later).toInstant().toEpochMilli();
  }
}
