package fairgate.gate.policy;

/// The Wilson score interval of a proportion at 95 percent: E. B. Wilson, "Probable inference, the
/// law of succession, and statistical inference", 1927. It is useful with few observations and near
/// 0 and 1, where the normal approximation is not.
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
        hits == 0 ? 0 : Math.max(0, centre - half), hits == total ? 1 : Math.min(1, centre + half));
  }
}
