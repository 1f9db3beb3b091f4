package fairgate.gate.policy;

import fairgate.gate.policy.DecisionCounts.CanaryCounts;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import java.util.Optional;

/// The limits at which the canary of a version is stopped. Shares are from 0 to 1.
///
/// Rates are compared by the bounds of their 95-percent intervals, so chance in a few decisions
/// neither stops a canary nor protects a bad one.
///
/// @param challenges maximum increase of the share of decisions with a challenge, compared with the
///   active version
/// @param refusals the same for decisions that seat behind, hold or refuse
/// @param paidRefused maximum share of refused people among those who have paid before
/// @param appealsWon maximum share of won appeals among the decided ones
/// @param p99Micros maximum of the 99th percentile of the time of a decision, us; it stops the
///   canary only when the active version is faster
public record Guardrails(
    double challenges, double refusals, double paidRefused, double appealsWon, long p99Micros) {
  /// Decisions on each side before the rates are compared.
  static final long MIN_DECISIONS = 5;

  private static final double SLOW_SHARE = 0.01;

  public static Guardrails defaults() {
    return new Guardrails(0.10, 0.02, 0.001, 0.20, 2_000);
  }

  /// The reason to stop the canary; empty while there is none.
  ///
  /// @param active decisions of the active version in the same time
  Optional<String> breach(CanaryCounts canary, CanaryCounts active) {
    if (canary.decisions() < MIN_DECISIONS) {
      return Optional.empty();
    }
    if (isAbove(canary.paidRefused(), canary.paid(), paidRefused)) {
      return Optional.of("paid_refused");
    }
    if (increases(canary.refused(), canary, active.refused(), active, refusals)) {
      return Optional.of("refusals");
    }
    if (increases(canary.challenged(), canary, active.challenged(), active, challenges)) {
      return Optional.of("challenges");
    }
    long decided = canary.appealsWon() + canary.appealsLost();
    if (decided >= MIN_DECISIONS && isAbove(canary.appealsWon(), decided, appealsWon)) {
      return Optional.of("appeals_won");
    }
    boolean isSlow = isAbove(canary.slow(), canary.decisions(), SLOW_SHARE);
    return isSlow && increases(canary.slow(), canary, active.slow(), active, 0)
        ? Optional.of("p99")
        : Optional.empty();
  }

  private static boolean isAbove(long hits, long total, double limit) {
    return WilsonInterval.of(hits, total).low() > limit;
  }

  /// Whether the canary's share is above that of the active version by more than the limit. With
  /// too few decisions of the active version, its share counts as 0.
  private static boolean increases(
      long hits, CanaryCounts canary, long activeHits, CanaryCounts active, double limit) {
    double before =
        active.decisions() < MIN_DECISIONS
            ? 0
            : WilsonInterval.of(activeHits, active.decisions()).high();
    return WilsonInterval.of(hits, canary.decisions()).low() > before + limit;
  }

  JsonText json() {
    return JsonText.object()
        .putAny("max_challenge_increase", challenges)
        .putAny("max_refusal_increase", refusals)
        .putAny("max_paid_refused", paidRefused)
        .putAny("max_appeals_won", appealsWon)
        .put("max_p99_micros", p99Micros);
  }

  static Guardrails parse(String json) {
    JsonObject object = Json.parseObject(json);
    return new Guardrails(
        number(object, "max_challenge_increase"),
        number(object, "max_refusal_increase"),
        number(object, "max_paid_refused"),
        number(object, "max_appeals_won"),
        (long) number(object, "max_p99_micros"));
  }

  private static double number(JsonObject object, String name) {
    if (object.get(name) instanceof Number number) {
      return number.doubleValue();
    }
    throw new IllegalStateException("the guardrails lack " + name);
  }

  /// The Wilson score interval of a proportion at 95 percent: E. B. Wilson, "Probable inference,
  /// the law of succession, and statistical inference", 1927. It is useful with few observations
  /// and near 0 and 1, where the normal approximation is not.
  ///
  /// @param low lower bound, 0 to 1
  /// @param high upper bound, 0 to 1
  public record WilsonInterval(double low, double high) {
    private static final double Z = 1.959963984540054;

    /// The interval of `hits` out of `total` observations; 0 to 1 without observations.
    public static WilsonInterval of(long hits, long total) {
      if (total <= 0) {
        return new WilsonInterval(0, 1);
      }
      double share = (double) hits / total;
      double square = Z * Z / total;
      double centre = (share + square / 2) / (1 + square);
      double half =
          Z * Math.sqrt(share * (1 - share) / total + square / (4.0 * total)) / (1 + square);
      // At 0 and 1 the bounds are exact; rounding must not move them.
      return new WilsonInterval(
          hits == 0 ? 0 : Math.max(0, centre - half),
          hits == total ? 1 : Math.min(1, centre + half));
    }
  }
}
