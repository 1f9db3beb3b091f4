package fairgate.prove.report;

import java.util.List;
import java.util.Locale;

/// Purchases granted in each second, and the faults, drawn as SVG.
final class Timeline {
  private static final int WIDTH = 820;
  private static final int HEIGHT = 300;
  private static final int LEFT = 44;
  private static final int RIGHT = 8;
  private static final int TOP = 100;
  private static final int BOTTOM = 24;
  private static final int LINES = 4;

  private Timeline() {}

  /// @param accepts in milliseconds
  static String svg(List<Long> accepts, List<ProofResult.Moment> events) {
    int seconds =
        (int) Math.max(1L, accepts.stream().mapToLong(Long::longValue).max().orElse(0) / 1_000 + 1);
    for (ProofResult.Moment event : events) {
      seconds = (int) Math.max(seconds, event.at() / 1_000 + 1);
    }
    int[] counts = new int[seconds];
    int max = 1;
    for (long at : accepts) {
      int second = Math.clamp(at / 1_000, 0, seconds - 1);
      counts[second]++;
      max = Math.max(max, counts[second]);
    }
    return drawn(counts, max, events);
  }

  private static String drawn(int[] counts, int max, List<ProofResult.Moment> events) {
    int seconds = counts.length;
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Purchases granted a second,"
                + " and faults\">",
            WIDTH,
            HEIGHT));
    grid(svg, max, seconds);
    double step = (WIDTH - LEFT - RIGHT) / (double) seconds;
    for (int second = 0; second < seconds; second++) {
      double top = y(counts[second], max);
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"><title>%d s:"
                  + " %d</title></rect>",
              LEFT + second * step,
              top,
              step * 0.8,
              HEIGHT - BOTTOM - top,
              second,
              counts[second]));
    }
    events.stream().filter(event -> !event.fault().isEmpty()).forEach(e -> mark(svg, e, step));
    return svg.append("</svg>").toString();
  }

  private static double y(double count, int max) {
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * count / max;
  }

  private static void grid(StringBuilder svg, int max, int seconds) {
    for (int i = 0; i <= LINES; i++) {
      double count = max * i / (double) LINES;
      svg.append(
          String.format(
              Locale.ROOT,
              "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                  + "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.0f</text>",
              LEFT,
              WIDTH - RIGHT,
              y(count, max),
              y(count, max),
              LEFT - 6,
              y(count, max) + 4,
              count));
    }
    for (int i = 0; i <= LINES; i++) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text class=\"tick\" text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">%d s</text>",
              i == LINES ? "end" : "start",
              LEFT + (WIDTH - LEFT - RIGHT) * i / (double) LINES,
              HEIGHT - 6,
              seconds * i / LINES));
    }
  }

  /// A line at its moment, with its name on end above.
  private static void mark(StringBuilder svg, ProofResult.Moment event, double step) {
    double x = LEFT + event.at() / 1_000.0 * step;
    svg.append(
        String.format(
            Locale.ROOT,
            "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"><title>%s</title>"
                + "</line><text class=\"name\" transform=\"translate(%.1f %d) rotate(-90)\">%s</text>",
            x,
            x,
            TOP,
            HEIGHT - BOTTOM,
            event.text(),
            x + 3,
            TOP - 4,
            event.fault()));
  }
}
