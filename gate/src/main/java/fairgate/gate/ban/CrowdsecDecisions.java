package fairgate.gate.ban;

import com.fasterxml.jackson.databind.JsonNode;
import fairgate.kernel.BanSubject;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The decisions of CrowdSec since the last request.
///
/// @param fresh decisions in force
/// @param gone subjects of ended decisions
record CrowdsecDecisions(List<Ban> fresh, List<BanSubject> gone) {
  private static final int LONGEST_REASON = 200;

  /// Parses the reply `{"new": [...], "deleted": [...]}`; either list may be null. Malformed
  /// decisions and those that are not bans are skipped.
  static CrowdsecDecisions read(JsonNode reply, long now) {
    List<Ban> fresh = new ArrayList<>();
    for (JsonNode node : reply.path("new")) {
      BanSubject subject = subject(node);
      Duration remaining = GoDuration.parse(node.path("duration").asText());
      if (subject != null && remaining != null && remaining.isPositive()) {
        long until = now + remaining.toMillis();
        fresh.add(new Ban(0, Ban.Effect.BAN, subject, reason(node), "crowdsec", now, until));
      }
    }
    List<BanSubject> gone = new ArrayList<>();
    for (JsonNode node : reply.path("deleted")) {
      BanSubject subject = subject(node);
      if (subject != null) {
        gone.add(subject);
      }
    }
    return new CrowdsecDecisions(fresh, gone);
  }

  private static @Nullable BanSubject subject(JsonNode node) {
    if (!node.path("type").asText().equalsIgnoreCase("ban")) {
      return null;
    }
    String value = node.path("value").asText();
    return switch (node.path("scope").asText().toLowerCase(Locale.ROOT)) {
      case "ip" -> BanSubject.parse(BanSubject.Kind.IP, value);
      case "range" -> BanSubject.parse(BanSubject.Kind.NETWORK, value);
      case "as" -> BanSubject.parse(BanSubject.Kind.ASN, value);
      case "country" -> BanSubject.parse(BanSubject.Kind.COUNTRY, value);
      default -> null;
    };
  }

  private static String reason(JsonNode node) {
    String reason = node.path("scenario").asText();
    return reason.length() > LONGEST_REASON ? reason.substring(0, LONGEST_REASON) : reason;
  }

  /// Parses durations in Go's format: `3h59m12.5s`, `1.5h`, `300ms`, `-12s`.
  static final class GoDuration {
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
}
