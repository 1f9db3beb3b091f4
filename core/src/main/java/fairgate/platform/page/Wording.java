package fairgate.platform.page;

import fairgate.platform.text.Language;
import fairgate.platform.text.PriceText;
import java.text.NumberFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Formats numbers, prices and times in the visitor's language.
///
/// @param zone of the shop
public record Wording(Dictionary words, String defaultCurrency, ZoneId zone, Instant now) {
  private static final String UTC = "UTC";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT);

  private static final long MINUTE = 60;
  private static final long HOUR = 3600;
  private static final long DAY = 86_400;

  public String text(String key) {
    return words.text(key);
  }

  /// Joins sentences and skips empty ones. Chinese has no space between them.
  public String sentences(String... all) {
    return sentences(List.of(all));
  }

  public String sentences(List<String> all) {
    return all.stream()
        .filter(sentence -> !sentence.isEmpty())
        .collect(Collectors.joining(words.language() == Language.EN ? " " : ""));
  }

  public String number(long number) {
    return NumberFormat.getIntegerInstance(locale()).format(number);
  }

  /// Formats a price in minor units, without decimals when it is whole.
  public String money(long minorUnits, String currencyCode) {
    String currency = currencyCode.isEmpty() ? defaultCurrency : currencyCode;
    return PriceText.of(words.language(), minorUnits, currency);
  }

  /// Formats a time in the shop's time zone, and names the zone: `2026-11-28 22:08 GMT+8`.
  public String time(Instant at) {
    ZonedDateTime local = at.atZone(zone);
    return TIME.format(local) + ' ' + zoneName(local);
  }

  /// As browsers name it.
  public static String zoneName(ZonedDateTime at) {
    return at.getOffset().equals(ZoneOffset.UTC)
        ? UTC
        : DateTimeFormatter.ofPattern("O", Locale.ROOT).format(at);
  }

  /// Formats a duration, rounded up: with minutes from an hour, with hours from two days.
  public String span(Duration length) {
    long seconds = Math.max(1, length.toSeconds());
    if (seconds < MINUTE) {
      return words.text("unit.second", "n", seconds);
    }
    if (seconds < HOUR) {
      return words.text("unit.minute", "n", (seconds + MINUTE - 1) / MINUTE);
    }
    return seconds < 2 * DAY
        ? twoUnits(seconds, "unit.hour", HOUR, "unit.minute", MINUTE)
        : twoUnits(seconds, "unit.day", DAY, "unit.hour", HOUR);
  }

  /// `1 hr 4 min`, or `2 hr` when the smaller unit is 0.
  private String twoUnits(long seconds, String large, long larger, String small, long smaller) {
    long rounded = (seconds + smaller - 1) / smaller * smaller;
    long rest = rounded % larger / smaller;
    String whole = words.text(large, "n", rounded / larger);
    return rest == 0 ? whole : whole + " " + words.text(small, "n", rest);
  }

  /// Formats an estimated wait.
  ///
  /// @param seconds negative before the first measurement
  /// @param longestWait the longest wait, used before the first measurement; negative when unknown
  public String estimate(long seconds, long longestWait) {
    if (seconds < 0) {
      return longestWait < 0
          ? "\u2013"
          : words.text("wait.at_most", "time", span(Duration.ofSeconds(longestWait)));
    }
    return seconds < MINUTE
        ? "< " + words.text("unit.minute", "n", 1)
        : "\u2248 " + span(Duration.ofSeconds(seconds));
  }

  public Locale locale() {
    return words.language().locale();
  }
}
