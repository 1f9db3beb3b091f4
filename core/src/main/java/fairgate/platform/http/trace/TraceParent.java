package fairgate.platform.http.trace;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The `traceparent` header of W3C Trace Context.
///
/// @param traceId 32 hexadecimal digits, not all zero
/// @param spanId of the caller, 16 hexadecimal digits, not all zero
/// @param sampled whether the caller records its span
record TraceParent(String traceId, String spanId, boolean sampled) {
  /// A later version may have more fields behind the flags.
  private static final Pattern HEADER =
      Pattern.compile("([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

  private static final int MAX_LENGTH = 256;
  private static final String NO_VERSION = "ff";
  private static final String FIRST_VERSION = "00";

  /// Empty for a header that is missing or malformed, which is ignored as the standard demands.
  static Optional<TraceParent> of(String header) {
    Matcher parts = HEADER.matcher(header);
    if (header.length() > MAX_LENGTH || !parts.matches()) {
      return Optional.empty();
    }
    String version = parts.group(1);
    boolean tooLong = version.equals(FIRST_VERSION) && parts.group(5) != null;
    if (version.equals(NO_VERSION) || tooLong || isZero(parts.group(2)) || isZero(parts.group(3))) {
      return Optional.empty();
    }
    boolean sampled = (Integer.parseInt(parts.group(4), 16) & 1) == 1;
    return Optional.of(new TraceParent(parts.group(2), parts.group(3), sampled));
  }

  private static boolean isZero(String digits) {
    return digits.chars().allMatch(digit -> digit == '0');
  }
}
