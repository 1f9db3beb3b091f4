package fairgate.redeem.transfer;

import fairgate.kernel.Iso4217;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Parses the amounts and times of exports.
final class CellParser {
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,12}(\\.\\d{1,4})?");
  private static final Pattern DECORATION =
      Pattern.compile("^(NT\\$|RMB|CNY|[¥￥$])\\s*|\\s*元$|(?<=\\d),(?=\\d{3})");
  private static final List<DateTimeFormatter> LOCAL =
      List.of(local("yyyy-M-d"), local("yyyy/M/d"), local("yyyy年M月d日"));

  private CellParser() {}

  /// An amount such as `1,299.00` or `¥99` in minor units; empty when it is none.
  static Optional<Long> amount(String text, String currency) {
    String bare = DECORATION.matcher(text).replaceAll("");
    if (!AMOUNT.matcher(bare).matches()) {
      return Optional.empty();
    }
    BigDecimal minor =
        new BigDecimal(bare).movePointRight(Iso4217.exponent(currency)).stripTrailingZeros();
    return minor.scale() > 0 ? Optional.empty() : Optional.of(minor.longValueExact());
  }

  /// Whether a time has no zone, and therefore needs one.
  static boolean isLocal(String text) {
    return LOCAL.stream().anyMatch(format -> local(text, format).isPresent());
  }

  /// An RFC 3339 time, or a local one in the zone; in whole microseconds, as PostgreSQL keeps it.
  static Optional<Instant> time(String text, Optional<ZoneId> zone) {
    try {
      String joined =
          text.replaceFirst("^(\\S{10}) +(?=\\d)", "$1T").replaceFirst(" +(?=[Z+-])", "");
      return Optional.of(OffsetDateTime.parse(joined).toInstant().truncatedTo(ChronoUnit.MICROS));
    } catch (DateTimeException _) {
      return zone.flatMap(
          in ->
              LOCAL.stream()
                  .flatMap(format -> local(text, format).stream())
                  .findFirst()
                  .map(time -> time.atZone(in).toInstant()));
    }
  }

  private static Optional<LocalDateTime> local(String text, DateTimeFormatter format) {
    try {
      return Optional.of(LocalDateTime.parse(text, format));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private static DateTimeFormatter local(String date) {
    return new DateTimeFormatterBuilder()
        .appendPattern(date)
        .appendPattern("[['T'][ ]H:mm[:ss]]")
        .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
        .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
        .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
        .toFormatter(Locale.ROOT);
  }
}
