package fairgate.redeem.transfer;

import fairgate.kernel.Iso4217;
import java.math.BigDecimal;
import java.text.Normalizer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses the amounts and times of exports. Full-width digits and marks are those of ASCII.
final class CellParser {
  private static final Pattern AMOUNT = Pattern.compile("\\d{1,12}(\\.\\d{1,4})?");
  private static final Pattern DECORATION =
      Pattern.compile(
          "^(NT\\$|HK\\$|US\\$|S\\$|[A-Z]{3}|[\u00a5\uffe5$€£])\\s*|\\s*([元圆圓]|[A-Z]{3}|[$€£])$|(?<=\\d),(?=\\d{3})");
  private static final Pattern TIME =
      Pattern.compile(
          "(\\d{4})[-/.年](\\d{1,2})[-/.月](\\d{1,2})日?"
              + "(?:(?:T|t| +)(?:(上午|下午|AM|PM) *)?(\\d{1,2}):(\\d{2})"
              + "(?::(\\d{2})(?:[.,](\\d{1,9}))?)?(?: *(AM|PM))?)?"
              + " *(Z|(?:UTC|GMT)?(?:[+-]\\d{1,2}(?::?\\d{2})?)?)?",
          Pattern.CASE_INSENSITIVE);

  private CellParser() {}

  /// An amount such as `1,299.00` or `¥99` in minor units; empty when it is none.
  static Optional<Long> amount(String text, String currency) {
    String bare = DECORATION.matcher(plain(text)).replaceAll("");
    if (!AMOUNT.matcher(bare).matches()) {
      return Optional.empty();
    }
    BigDecimal minor =
        new BigDecimal(bare).movePointRight(Iso4217.exponent(currency)).stripTrailingZeros();
    return minor.scale() > 0 ? Optional.empty() : Optional.of(minor.longValueExact());
  }

  /// Whether a time has no zone, and therefore needs one.
  static boolean isLocal(String text) {
    return time(text, Optional.empty()).isEmpty()
        && time(text, Optional.of(ZoneOffset.UTC)).isPresent();
  }

  /// A time with an offset (RFC 3339, or as programs write it: `2026-01-08 12:30:00 +0800`, `...
  /// UTC`), or a local one in the zone; in whole microseconds, as PostgreSQL keeps it.
  static Optional<Instant> time(String text, Optional<? extends ZoneId> zone) {
    Matcher parts = TIME.matcher(plain(text));
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      LocalDateTime local =
          LocalDateTime.of(
              number(parts, 1),
              number(parts, 2),
              number(parts, 3),
              hour(parts),
              number(parts, 6),
              number(parts, 7),
              nanos(parts.group(8)));
      Optional<? extends ZoneId> in = hasOffset(parts) ? Optional.of(offset(parts.group(10))) : zone;
      return in.map(each -> local.atZone(each).toInstant().truncatedTo(ChronoUnit.MICROS));
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }

  private static int number(Matcher parts, int group) {
    @Nullable String digits = parts.group(group);
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  /// The hour of the day. Excel and shops of Taiwan write `下午 3:05`, others `3:05 PM`.
  private static int hour(Matcher parts) {
    int hour = number(parts, 5);
    @Nullable String half = parts.group(4) == null ? parts.group(9) : parts.group(4);
    if (half == null) {
      return hour;
    }
    if (hour < 1 || hour > 12) {
      throw new DateTimeException("no hour of half a day");
    }
    return hour % 12 + (half.equals("下午") || half.equalsIgnoreCase("PM") ? 12 : 0);
  }

  private static int nanos(@Nullable String fraction) {
    return fraction == null ? 0 : Integer.parseInt((fraction + "00000000").substring(0, 9));
  }

  private static boolean hasOffset(Matcher parts) {
    @Nullable String offset = parts.group(10);
    return offset != null && !offset.isEmpty();
  }

  private static ZoneId offset(String text) {
    String bare = text.replaceFirst("(?i)^(UTC|GMT)", "");
    if (bare.isEmpty() || bare.equalsIgnoreCase("Z")) {
      return ZoneOffset.UTC;
    }
    String padded = bare.replaceFirst("^([+-])(\\d)(?=$|:)", "$10$2");
    return ZoneOffset.of(padded);
  }

  private static String plain(String text) {
    return Normalizer.normalize(text, Normalizer.Form.NFKC).strip();
  }
}
