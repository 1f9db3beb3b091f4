package fairgate.gate.challenge;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/// A number of challenges, and the factor on the cost of proof of work above that number.
public record CostLevel(int above, int factor) {
  private static final Pattern PAIR = Pattern.compile("(\\d{1,7}):([1-9]\\d{0,2})");

  /// Parses pairs such as `200:2,1000:4`; `none` or an empty text has no levels. Throws
  /// IllegalArgumentException with the problem.
  public static List<CostLevel> list(String text) {
    if (text.isBlank() || text.strip().equals("none")) {
      return List.of();
    }
    return Arrays.stream(text.split(",", -1)).map(pair -> one(pair.strip())).toList();
  }

  private static CostLevel one(String pair) {
    var parts = PAIR.matcher(pair);
    if (!parts.matches()) {
      throw new IllegalArgumentException("expected none, or pairs like 200:2, not " + pair);
    }
    return new CostLevel(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
  }

  /// The factor of the highest level below the count; 1 when the count is below all levels.
  ///
  /// @param levels in rising order
  static int factor(List<CostLevel> levels, long count) {
    int factor = 1;
    for (CostLevel level : levels) {
      if (count > level.above()) {
        factor = level.factor();
      }
    }
    return factor;
  }

  /// Whether counts and factors rise, from a count of 1, up to this factor.
  static boolean areRising(List<CostLevel> levels, int maxFactor) {
    CostLevel below = new CostLevel(0, 1);
    for (CostLevel level : levels) {
      if (level.above() <= below.above()
          || level.factor() < below.factor()
          || level.factor() > maxFactor) {
        return false;
      }
      below = level;
    }
    return true;
  }
}
