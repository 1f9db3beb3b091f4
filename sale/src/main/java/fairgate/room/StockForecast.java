package fairgate.room;

/// How many visitors the stock lasts for, when each takes `share` units on average: a sum of
/// independent decisions, in the normal approximation.
///
/// @param left units left
/// @param share units per admitted visitor, above 0
record StockForecast(long left, double share) {
  /// Quantiles of the normal distribution: with which certainty the stock has run out.
  static final double HALF = 0;

  static final double NINE_TENTHS = 1.2816;

  /// The number of visitors after which the stock has run out with this certainty: the solution of
  /// `n share - quantile sqrt(n share (1 - share)) = left`. For shares above 1 there is no spread.
  double visitors(double quantile) {
    double spread = quantile * Math.sqrt(share * Math.max(0, 1 - share));
    double root = (spread + Math.sqrt(spread * spread + 4 * share * left)) / (2 * share);
    return root * root;
  }
}
