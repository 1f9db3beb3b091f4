package fairgate.crowd.rehearsal;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/// Draws figures as SVG with axes, a legend and a text for screen readers; colours come from the
/// page's style (`.s0`, `.s1`, ...).
final class Chart {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 260;
  private static final int LEFT = 64;
  private static final int BOTTOM = 34;
  private static final int TOP = 14;
  private static final int RIGHT = 12;
  private static final int LINES = 4;
  private static final int ROW = 22;
  private static final int NAMES = 290;
  private static final int VALUES = 70;

  private Chart() {}

  /// One line of a chart.
  record Series(String name, List<Point> points) {}

  record Point(double x, double y) {}

  /// One group of bars.
  record Bar(String label, double value) {}

  /// @param unitX unit of the x axis
  static String lines(String title, String unitX, List<Series> all) {
    double mostX =
        Math.max(
            1,
            all.stream().flatMap(s -> s.points().stream()).mapToDouble(Point::x).max().orElse(1));
    double mostY = max(all.stream().flatMap(s -> s.points().stream()).mapToDouble(Point::y).max());
    StringBuilder svg = open(title);
    axes(svg, mostX, mostY, unitX);
    for (int i = 0; i < all.size(); i++) {
      Series series = all.get(i);
      StringBuilder points = new StringBuilder();
      for (Point point : series.points()) {
        points.append(
            String.format(Locale.ROOT, "%.1f,%.1f ", x(point.x() / mostX), y(point.y() / mostY)));
      }
      svg.append(
          String.format(
              Locale.ROOT,
              "<polyline class=\"line s%d\" points=\"%s\"/>",
              i,
              points.toString().strip()));
    }
    svg.append("</svg><p class=\"legend\">");
    for (int i = 0; i < all.size(); i++) {
      svg.append(
          String.format(
              Locale.ROOT, "<span><i class=\"s%d\"></i>%s</span> ", i, all.get(i).name()));
    }
    return svg.append("</p>").toString();
  }

  static String bars(String title, String unitY, List<Bar> bars) {
    double mostY = max(bars.stream().mapToDouble(Bar::value).max());
    StringBuilder svg = open(title);
    grid(svg, mostY);
    svg.append(
        String.format(
            Locale.ROOT, "<text class=\"unit\" x=\"%d\" y=\"11\">%s</text>", LEFT, unitY));
    double step = (WIDTH - LEFT - RIGHT) / (double) Math.max(1, bars.size());
    for (int i = 0; i < bars.size(); i++) {
      double top = y(bars.get(i).value() / mostY);
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s:"
                  + " %.1f</title></rect>",
              LEFT + i * step + step * 0.15,
              top,
              step * 0.7,
              HEIGHT - BOTTOM - top,
              bars.get(i).label(),
              bars.get(i).value()));
      svg.append(
          String.format(
              Locale.ROOT,
              "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>",
              LEFT + (i + 0.5) * step,
              HEIGHT - BOTTOM + 16,
              bars.get(i).label()));
    }
    return svg.append("</svg>").toString();
  }

  /// Bars that lie, longest first as given, each with its name and its value.
  ///
  /// @param bars with labels that may be long; escaped already
  static String ranks(String title, List<Bar> bars) {
    double max = max(bars.stream().mapToDouble(Bar::value).max());
    StringBuilder svg = open(title, ROW * Math.max(1, bars.size()) + TOP);
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double width = bar.value() / max * (WIDTH - NAMES - VALUES);
      svg.append(
          String.format(
              Locale.ROOT,
              "<text class=\"name\" text-anchor=\"end\" x=\"%d\" y=\"%d\">%s</text>"
                  + "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>"
                  + "<text class=\"name\" x=\"%.1f\" y=\"%d\">%s</text>",
              NAMES - 8,
              TOP + i * ROW + 11,
              bar.label(),
              NAMES,
              TOP + i * ROW,
              Math.max(1, width),
              ROW - 8,
              NAMES + Math.max(1, width) + 6,
              TOP + i * ROW + 11,
              number(bar.value())));
    }
    return svg.append("</svg>").toString();
  }

  private static StringBuilder open(String title) {
    return open(title, HEIGHT);
  }

  private static StringBuilder open(String title, int height) {
    return new StringBuilder(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">",
            WIDTH,
            height,
            title));
  }

  private static void axes(StringBuilder svg, double mostX, double mostY, String unitX) {
    grid(svg, mostY);
    for (int i = 0; i <= LINES; i++) {
      double share = i / (double) LINES;
      svg.append(
          String.format(
              Locale.ROOT,
              "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>",
              x(share),
              HEIGHT - BOTTOM + 16,
              number(mostX * share) + (i == LINES ? " " + unitX : "")));
    }
  }

  private static void grid(StringBuilder svg, double mostY) {
    for (int i = 0; i <= LINES; i++) {
      double share = i / (double) LINES;
      svg.append(
          String.format(
              Locale.ROOT,
              "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
              LEFT,
              WIDTH - RIGHT,
              y(share),
              y(share)));
      svg.append(
          String.format(
              Locale.ROOT,
              "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>",
              LEFT - 6,
              y(share) + 4,
              number(mostY * share)));
    }
  }

  private static double x(double share) {
    return LEFT + share * (WIDTH - LEFT - RIGHT - 24);
  }

  private static double y(double share) {
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
  }

  /// The end of an axis: the first of 1, 2, 2.5, 5 or 10 times a power of ten that is enough.
  private static double max(OptionalDouble value) {
    double needed = Math.max(1, value.orElse(1));
    double power = Math.pow(10, Math.floor(Math.log10(needed)));
    for (double step : new double[] {1, 2, 2.5, 5}) {
      if (needed <= step * power) {
        return step * power;
      }
    }
    return 10 * power;
  }

  private static String number(double value) {
    return value >= 10 || value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.1f", value);
  }
}
