package fairgate.gate.challenge;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/// A threshold of challenges per second, and the factor on the cost of proof of work above it.
public record CrowdLevel(int perSecond, int factor) {
  private static final Pattern PAIR = Pattern.compile("(\\d{1,7}):([1-9]\\d{0,2})");

  /// Parses pairs such as `200:2,1000:4`; `none` or an empty text has no levels. Throws
  /// IllegalArgumentException with the problem.
  public static List<CrowdLevel> list(String text) {
    if (text.isBlank() || text.strip().equals("none")) {
      return List.of();
    }
    return Arrays.stream(text.split(",", -1)).map(pair -> one(pair.strip())).toList();
  }

  private static CrowdLevel one(String pair) {
    var parts = PAIR.matcher(pair);
    if (!parts.matches()) {
      throw new IllegalArgumentException("expected none, or pairs like 200:2, not " + pair);
    }
    return new CrowdLevel(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
  }
}
