package fairgate.gate.limit;

import static fairgate.gate.limit.LimitRule.Dimension.ASN;
import static fairgate.gate.limit.LimitRule.Dimension.CLIENT;
import static fairgate.gate.limit.LimitRule.Dimension.DEVICE;
import static fairgate.gate.limit.LimitRule.Dimension.GLOBAL;
import static fairgate.gate.limit.LimitRule.Dimension.IP;
import static fairgate.gate.limit.LimitRule.Dimension.NETWORK;
import static fairgate.gate.limit.LimitRule.Dimension.NEW_BROWSER;
import static fairgate.gate.limit.LimitRule.Dimension.ROUTE;
import static fairgate.gate.limit.LimitRule.Dimension.SESSION;
import static fairgate.gate.limit.LimitRule.Dimension.USER;
import static fairgate.gate.limit.LimitRule.OnFailure.LOCAL_SHARE;
import static fairgate.gate.limit.LimitRule.OnFailure.OPEN;

import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// All limits with their defaults. Settings and docs are generated from this list.
public final class LimitDefaults {
  private static final int MINUTE = 60;
  private static final int HOUR = 60 * MINUTE;

  /// The default of one limit.
  ///
  /// @param rule where it is off: what a setting that leaves words out builds on
  /// @param doc one sentence for the reference pages
  public record Entry(LimitRule rule, boolean on, String doc) {
    /// The name in settings, after `limit.`.
    public String name() {
      return rule.name();
    }

    public String text() {
      return on ? RuleText.of(rule) : "off";
    }
  }

  public static final List<Entry> ALL =
      List.of(
          rate("global", GLOBAL, 100_000, OPEN, "All requests to all nodes."),
          off("route", ROUTE, 20_000, OPEN, "All requests to one route."),
          rate("network", NETWORK, 300, OPEN, "Requests from a /24, or from a /48 of IPv6."),
          off(
              "asn",
              ASN,
              2_000,
              OPEN,
              "Requests from one network operator, if `bans.asn_database` is set."),
          rate(
              "ip",
              CLIENT,
              5,
              LOCAL_SHARE,
              "API calls of one account, or of guests at one address."),
          rate(
              "page",
              CLIENT,
              5,
              LOCAL_SHARE,
              "Pages for one account, or for guests at one address."),
          off("user", USER, 10, LOCAL_SHARE, "Requests of one user."),
          off("device", DEVICE, 10, LOCAL_SHARE, "Requests of one browser."),
          off("session", SESSION, 5, LOCAL_SHARE, "API calls with one queue session."),
          window(
              "join", USER, 3, MINUTE, LOCAL_SHARE, "Joins and deposits taken back, of one user."),
          window(
              "join_new",
              NEW_BROWSER,
              3,
              MINUTE,
              LOCAL_SHARE,
              "As `join`, from one address by browsers and programs without our cookie."),
          rate("purchase", SESSION, 5, LOCAL_SHARE, "Purchase attempts with one queue session."),
          rate("admin", IP, 50, LOCAL_SHARE, "Admin API calls from one address."),
          rate(
              "webhook",
              IP,
              1_000,
              OPEN,
              "Webhooks of the payment gateway and of LINE, from one address."),
          window("create", IP, 10, MINUTE, LOCAL_SHARE, "Short links created from one address."),
          window("redirect", IP, 100, MINUTE, OPEN, "Short links followed from one address."),
          window(
              "appeal",
              NETWORK,
              30,
              HOUR,
              LOCAL_SHARE,
              "Appeals filed from a /24, or from a /48 of IPv6."),
          window("login", IP, 5, MINUTE, LOCAL_SHARE, "Login attempts from one address."),
          window("register", IP, 3, MINUTE, LOCAL_SHARE, "Accounts registered from one address."));

  private LimitDefaults() {}

  /// The limits in force.
  ///
  /// @param settings texts by the limit's name; those left out are as in the list
  public static List<LimitRule> with(Map<String, String> settings) {
    return ALL.stream()
        .map(
            entry ->
                RuleText.apply(entry.rule(), settings.getOrDefault(entry.name(), entry.text())))
        .flatMap(Optional::stream)
        .toList();
  }

  /// The error in the text of a limit; empty when it is valid.
  public static Optional<String> problem(String name, String text) {
    try {
      LimitRule base =
          ALL.stream()
              .map(Entry::rule)
              .filter(r -> r.name().equals(name))
              .findFirst()
              .orElseThrow();
      var _ = RuleText.apply(base, text);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static Entry rate(
      String name, Dimension dimension, int perSecond, OnFailure onFailure, String doc) {
    return new Entry(
        new LimitRule(name, dimension, Semantics.RATE, perSecond, 1, perSecond, onFailure),
        true,
        doc);
  }

  private static Entry off(
      String name, Dimension dimension, int perSecond, OnFailure onFailure, String doc) {
    return new Entry(rate(name, dimension, perSecond, onFailure, doc).rule(), false, doc);
  }

  private static Entry window(
      String name, Dimension dimension, int max, int seconds, OnFailure onFailure, String doc) {
    return new Entry(
        new LimitRule(name, dimension, Semantics.WINDOW, max, seconds, max, onFailure), true, doc);
  }

  /// Parses and prints limits in settings: `off`, or `5/s`, `100/60s burst 20`, `3/m window
  /// closed`.
  static final class RuleText {
    private static final String OFF = "off";
    private static final int LONGEST = 60;

    private RuleText() {}

    /// The rule with the changes in the text; parts that the text leaves out stay as they are.
    /// Empty for `off`. Throws IllegalArgumentException with the error.
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
}
