package fairgate.gate.limit;

import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Parses and prints limits in settings: `off`, or `5/s`, `100/60s burst 20`, `3/m window closed`.
final class RuleText {
  private static final String OFF = "off";
  private static final int LONGEST = 60;

  private RuleText() {}

  /// The rule with the changes in the text; parts that the text leaves out stay as they are. Empty
  /// for `off`. Throws IllegalArgumentException with the error.
  static Optional<LimitRule> apply(LimitRule base, String text) {
    String[] words = text.strip().split(" +", -1);
    if (words[0].equals(OFF) && words.length == 1) {
      return Optional.empty();
    }
    int slash = words[0].indexOf('/');
    if (slash < 0 || text.length() > LONGEST) {
      throw new IllegalArgumentException("a limit is `off`, or begins like 5/s or 100/60s");
    }
    int max = whole(words[0].substring(0, slash));
    int seconds = seconds(words[0].substring(slash + 1));
    Semantics semantics = base.semantics();
    OnFailure onFailure = base.onFailure();
    Integer burst = null;
    for (int i = 1; i < words.length; i++) {
      switch (words[i]) {
        case "rate" -> semantics = Semantics.RATE;
        case "window" -> semantics = Semantics.WINDOW;
        case "burst" -> burst = whole(++i < words.length ? words[i] : "");
        default -> onFailure = onFailure(words[i]);
      }
    }
    return Optional.of(
        new LimitRule(
            base.name(),
            base.dimension(),
            semantics,
            max,
            seconds,
            burst(burst, semantics, max),
            onFailure));
  }

  /// The rule as text for [#apply].
  static String of(LimitRule rule) {
    String burst = rule.burst() == rule.max() ? "" : " burst " + rule.burst();
    String semantics = rule.semantics() == Semantics.WINDOW ? " window" : "";
    return rule.max()
        + "/"
        + (rule.seconds() == 1 ? "s" : rule.seconds() + "s")
        + burst
        + semantics
        + " "
        + rule.onFailure().word();
  }

  private static int burst(@Nullable Integer given, Semantics semantics, int max) {
    if (given != null && semantics == Semantics.WINDOW) {
      throw new IllegalArgumentException("a window has no burst");
    }
    return given == null ? max : given;
  }

  private static OnFailure onFailure(String word) {
    for (OnFailure one : OnFailure.values()) {
      if (one.word().equals(word)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "after 5/s may stand: burst N, rate, window, open, closed, local-share");
  }

  private static int seconds(String period) {
    if (period.isEmpty()) {
      throw new IllegalArgumentException("a limit is `off`, or begins like 5/s or 100/60s");
    }
    int unit =
        switch (period.charAt(period.length() - 1)) {
          case 's' -> 1;
          case 'm' -> 60;
          case 'h' -> 3_600;
          case 'd' -> 86_400;
          default -> throw new IllegalArgumentException("a period ends with s, m, h or d");
        };
    String count = period.substring(0, period.length() - 1);
    long seconds = (count.isEmpty() ? 1L : whole(count)) * unit;
    return (int) Math.min(seconds, Integer.MAX_VALUE);
  }

  private static int whole(String digits) {
    if (!digits.matches("\\d{1,10}")) {
      throw new IllegalArgumentException("a number of calls is 1 to 10 digits");
    }
    return Math.toIntExact(Math.min(Long.parseLong(digits), Integer.MAX_VALUE));
  }
}
