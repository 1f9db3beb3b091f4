package fairgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The figures of one run, as a Markdown table, put between the markers of the document.
public final class Table {
  private final String begin;
  private final String end;
  private final String headings;
  private final List<String> head = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();

  /// That of `bench/run`.
  Table() {
    this(
        "<!-- figures: written by bench/run -->",
        "<!-- end of figures -->",
        "| what | measured | result (lowest to highest) | asked | |");
  }

  /// @param begin the marker above its place in the document
  /// @param end the marker below
  /// @param headings of its five columns
  public Table(String begin, String end, String headings) {
    this.begin = begin;
    this.end = end;
    this.headings = headings;
  }

  public void note(String text) {
    head.add(text);
    System.out.println(text);
  }

  /// A figure with several measurements: median, lowest and highest.
  ///
  /// @param least the required minimum; 0 for none
  void ratio(String what, String speeds, double[] ratios, double least) {
    row(
        what,
        speeds,
        "%.2f (%.2f to %.2f)".formatted(median(ratios), min(ratios), max(ratios)),
        least > 0 ? "at least %.2f".formatted(least) : "",
        least == 0 || median(ratios) >= least);
  }

  public void row(String what, String measured, String result, String asked, boolean met) {
    String verdict = asked.isEmpty() ? "" : met ? "met" : "**missed**";
    String row = "| " + String.join(" | ", what, measured, result, asked, verdict) + " |";
    rows.add(row);
    System.out.println(row);
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  static double min(double[] values) {
    return Arrays.stream(values).min().orElse(Double.NaN);
  }

  static double max(double[] values) {
    return Arrays.stream(values).max().orElse(Double.NaN);
  }

  static String perSecond(double[] values) {
    return String.format(Locale.ROOT, "%,.0f/s", median(values));
  }

  /// Replaces the text between the markers.
  public void write(Path document) throws IOException {
    String text = Files.readString(document);
    int from = text.indexOf(begin);
    int to = text.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException(document + " has no place for the figures");
    }
    List<String> lines = new ArrayList<>(head);
    lines.add("");
    lines.add(headings);
    lines.add("|---|---|---|---|---|");
    lines.addAll(rows);
    String made = String.join("\n", lines);
    Files.writeString(
        document,
        text.substring(0, from + begin.length()) + "\n" + made + "\n" + text.substring(to));
  }
}
