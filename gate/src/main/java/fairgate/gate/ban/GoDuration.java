package fairgate.gate.ban;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses durations in Go's format: `3h59m12.5s`, `1.5h`, `300ms`, `-12s`.
final class GoDuration {
  private static final Pattern PART =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,12})?)(h|ms|m|s|us|µs|ns)");
  private static final Pattern WHOLE = Pattern.compile("[-+]?(?:" + PART.pattern() + ")+|[-+]?0");

  private GoDuration() {}

  /// The duration, which may be negative; null when the text is malformed.
  static @Nullable Duration parse(String text) {
    if (text.length() > 100 || !WHOLE.matcher(text).matches()) {
      return null;
    }
    Duration sum = Duration.ZERO;
    for (MatchResult part : PART.matcher(text).results().toList()) {
      BigDecimal nanos = new BigDecimal(part.group(1)).multiply(nanos(part.group(2)));
      sum = sum.plusNanos(nanos.longValue());
    }
    return text.startsWith("-") ? sum.negated() : sum;
  }

  private static BigDecimal nanos(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "h" -> 3_600_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "s" -> 1_000_000_000L;
          case "ms" -> 1_000_000L;
          case "us", "µs" -> 1_000L;
          default -> 1L;
        });
  }
}
