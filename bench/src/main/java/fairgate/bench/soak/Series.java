package fairgate.bench.soak;

import java.util.ArrayList;
import java.util.List;

/// One figure over the time of a run. Its growth is computed from the second quarter on, because
/// the first one is a warm-up.
final class Series {
  private final List<Point> points = new ArrayList<>();

  /// @param at elapsed share of the run, from 0 to 1
  /// @param x the independent value
  private record Point(double at, double x, double value) {
    int quarter() {
      return (int) Math.min(3, at * 4);
    }
  }

  /// A figure at a time: share of the run that is over, from 0 to 1.
  void add(double at, double value) {
    add(at, at, value);
  }

  /// A figure that is seen against another.
  void add(double at, double x, double value) {
    if (Double.isFinite(value)) {
      points.add(new Point(at, x, value));
    }
  }

  boolean isEmpty() {
    return points.isEmpty();
  }

  /// The mean of a quarter, the first being 0; NaN if it is empty.
  double quarter(int number) {
    return points.stream()
        .filter(point -> point.quarter() == number)
        .mapToDouble(Point::value)
        .average()
        .orElse(Double.NaN);
  }

  /// By how much the line of least squares rises from the second quarter to the end.
  double rise() {
    return slope(points.stream().filter(point -> point.quarter() > 0).toList()) * 0.75;
  }

  /// How steep it is in a quarter.
  double slope(int number) {
    return slope(points.stream().filter(point -> point.quarter() == number).toList());
  }

  private static double slope(List<Point> some) {
    double middle = some.stream().mapToDouble(Point::x).average().orElse(0);
    double mean = some.stream().mapToDouble(Point::value).average().orElse(0);
    double up = 0;
    double along = 0;
    for (Point point : some) {
      up += (point.x() - middle) * (point.value() - mean);
      along += (point.x() - middle) * (point.x() - middle);
    }
    return along == 0 ? 0 : up / along;
  }

  /// By how much it may rise: a share of the second quarter and something besides.
  record Allowed(double share, double more) {
    double of(double start) {
      return start * share + more;
    }
  }

  /// Whether neither the last quarter lies above the second by more, nor the line rises by more.
  boolean flat(Allowed allowed) {
    double max = allowed.of(quarter(1));
    return quarter(3) - quarter(1) <= max && rise() <= max;
  }
}
