package fairgate.crowd.rehearsal;

import fairgate.crowd.rehearsal.Tally.Step;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.html.escape.Escape;
import gg.jte.output.StringOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// The report of a rehearsal as one self-contained HTML page. The methods draw its charts.
public final class RehearsalPage {
  static final List<Step> STEPS =
      List.of(Step.CAME, Step.JOINED, Step.READY, Step.UNITS, Step.PAID);

  private RehearsalPage() {}

  /// The report.
  ///
  /// @param named one result for each gate that was rehearsed, with its name
  /// @param when for the heading
  public static String html(Map<String, RehearsalResult> named, String when) {
    RehearsalPlan plan = named.values().iterator().next().plan();
    String facts =
        String.format(
            Locale.ROOT,
            "%,d honest buyers and %,d bot sessions after %,d units; preset %s; %s; seed %d.",
            plan.buyers(),
            plan.bots(),
            plan.units(),
            plan.preset(),
            when,
            plan.seed());
    StringOutput page = new StringOutput();
    JterehearsalGenerated.render(new OwaspHtmlTemplateOutput(page), null, named, facts);
    return page.toString();
  }

  static String botShares(Map<String, RehearsalResult> named) {
    return Chart.bars(
        "Share of units that bots got",
        "%",
        named.entrySet().stream()
            .map(e -> new Chart.Bar(escaped(e.getKey()), 100 * e.getValue().botShare()))
            .toList());
  }

  static String queue(Tally tally) {
    List<Tally.Moment> moments = tally.moments();
    return Chart.lines(
        "The queue over time",
        "s",
        List.of(
            series("waiting", moments, Tally.Moment::waiting),
            series("active", moments, Tally.Moment::active),
            series("units held or sold", moments, Tally.Moment::sold)));
  }

  static String admitted(Tally tally) {
    return Chart.lines(
        "Admitted so far",
        "s",
        List.of(series("admitted", tally.moments(), Tally.Moment::admitted)));
  }

  static String waits(RehearsalResult result) {
    return Chart.bars(
        "Waiting time by order of arrival",
        "seconds",
        RehearsalReport.waits(result).stream()
            .map(w -> new Chart.Bar(Integer.toString(w.group()), w.seconds()))
            .toList());
  }

  static String responseTimes(Tally tally) {
    List<Tally.Second> seconds = tally.seconds();
    return Chart.lines(
        "Response time over time",
        "s",
        List.of(
            answers("median", seconds, Tally.Second::median),
            answers("99th percentile", seconds, Tally.Second::p99)));
  }

  static String refusals(Tally tally) {
    List<Chart.Bar> bars = new ArrayList<>();
    for (Map.Entry<String, Integer> entry : RehearsalReport.refusals(tally)) {
      bars.add(new Chart.Bar(escaped(entry.getKey()), entry.getValue()));
    }
    bars.add(new Chart.Bar("no answer", tally.lost()));
    return Chart.ranks("Refusals by reason", bars);
  }

  private static Chart.Series series(
      String name, List<Tally.Moment> moments, ToDoubleFunction<Tally.Moment> value) {
    return new Chart.Series(
        name,
        moments.stream()
            .map(m -> new Chart.Point(m.at() / 1000.0, value.applyAsDouble(m)))
            .toList());
  }

  private static Chart.Series answers(
      String name, List<Tally.Second> seconds, ToDoubleFunction<Tally.Second> value) {
    return new Chart.Series(
        name, seconds.stream().map(s -> new Chart.Point(s.at(), value.applyAsDouble(s))).toList());
  }

  private static String escaped(String text) {
    StringOutput escaped = new StringOutput();
    Escape.htmlContent(text, escaped);
    return escaped.toString();
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String decimal(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
