package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.DrawAllocation.ClaimTimes;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;

class ClaimTimesTest {
  private static final ZoneId TAIPEI = ZoneId.of("Asia/Taipei");

  private static ZonedDateTime at(String local) {
    return ZonedDateTime.parse("2026-12-01T" + local + ":00+08:00[Asia/Taipei]");
  }

  private static ZonedDateTime end(ZonedDateTime now, long minutes) {
    long end = ClaimTimes.endOf(now.toInstant().toEpochMilli(), minutes, TAIPEI);
    return Instant.ofEpochMilli(end).atZone(TAIPEI);
  }

  @Test
  void offersOfTheDayEndAfterTheirClaimTime() {
    assertThat(end(at("12:00"), 30)).isEqualTo(at("12:30"));
    assertThat(end(at("21:00"), 60)).isEqualTo(at("22:00"));
    assertThat(end(at("07:30"), 30)).isEqualTo(at("08:00"));
  }

  @Test
  void offersOfTheNightEndAfterTheNextMorning() {
    assertThat(end(at("21:45"), 30)).isEqualTo(at("08:30").plusDays(1));
    assertThat(end(at("23:59"), 30)).isEqualTo(at("08:30").plusDays(1));
    assertThat(end(at("03:00"), 60)).isEqualTo(at("09:00"));
  }

  @Test
  void noOfferEndsAtNightAndNoneIsShorterThanItsClaimTime() {
    for (int minute = 0; minute < 1_440; minute += 7) {
      ZonedDateTime now = at("00:00").plusMinutes(minute);
      for (long claim : new long[] {1, 30, 600, 840, 1_000, 5_000}) {
        ZonedDateTime end = end(now, claim);
        assertThat(end.toLocalTime())
            .as(now + " " + claim)
            .isBetween(LocalTime.of(8, 0), LocalTime.of(22, 0));
        if (claim <= 840) {
          assertThat(end).isAfterOrEqualTo(now.plusMinutes(claim));
        }
      }
    }
  }
}
