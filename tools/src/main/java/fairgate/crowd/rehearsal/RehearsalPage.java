package fairgate.crowd.rehearsal;

import fairgate.crowd.rehearsal.Tally.Step;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// The report of a rehearsal as one self-contained HTML page.
public final class RehearsalPage {
  private static final String TEMPLATE = "rehearsal.html";

  private RehearsalPage() {}

  /// The report.
  ///
  /// @param named one result for each gate that was rehearsed, with its name
  /// @param when for the heading
  public static String html(Map<String, RehearsalResult> named, String when) {
    StringBuilder body = new StringBuilder();
    if (named.size() > 1) {
      body.append("<section><h2>Share of units that bots got</h2>")
          .append(
              Chart.bars(
                  "Share of units that bots got",
                  "%",
                  named.entrySet().stream()
                      .map(e -> new Chart.Bar(e.getKey(), 100 * e.getValue().botShare()))
                      .toList()))
          .append("</section>");
    }
    named.forEach((name, result) -> body.append(section(name, result)));
    RehearsalResult any = named.values().iterator().next();
    RehearsalPlan plan = any.plan();
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
    return template().replace("@facts@", facts).replace("@body@", body);
  }

  private static String section(String name, RehearsalResult result) {
    Tally tally = result.tally();
    List<Tally.Moment> moments = tally.moments();
    StringBuilder out = new StringBuilder(String.format(Locale.ROOT, "<section><h2>%s</h2>", name));
    out.append(
        String.format(
            Locale.ROOT,
            "<p class=\"big\">%,d of %,d units sold. Bots got <b>%.1f %%</b> of them.%s</p>",
            result.sold(),
            result.plan().units(),
            100 * result.botShare(),
            result.oversold() ? " <b class=\"bad\">Oversold.</b>" : ""));
    out.append(people(tally));
    queue(out, moments);
    waits(out, RehearsalReport.waits(result));
    pace(out, tally.seconds());
    return out.append(times(tally)).append(refusals(tally)).append("</section>").toString();
  }

  private static void queue(StringBuilder out, List<Tally.Moment> moments) {
    out.append("<h3>The queue over time</h3>")
        .append(
            Chart.lines(
                "The queue over time",
                "s",
                List.of(
                    series("waiting", moments, Tally.Moment::waiting),
                    series("active", moments, Tally.Moment::active),
                    series("units held or sold", moments, Tally.Moment::sold))));
    out.append("<h3>Admitted so far</h3>")
        .append(
            Chart.lines(
                "Admitted so far",
                "s",
                List.of(series("admitted", moments, Tally.Moment::admitted))));
  }

  private static void waits(StringBuilder out, List<RehearsalReport.Wait> waits) {
    out.append("<h3>Waiting time of the honest, by order of arrival (median of each tenth)</h3>");
    if (waits.isEmpty()) {
      out.append("<p>None of them had their turn.</p>");
      return;
    }
    out.append(
        Chart.bars(
            "Waiting time by order of arrival",
            "seconds",
            waits.stream()
                .map(w -> new Chart.Bar(Integer.toString(w.group()), w.seconds()))
                .toList()));
  }

  private static void pace(StringBuilder out, List<Tally.Second> seconds) {
    out.append("<h3>Time to answer over time, milliseconds</h3>")
        .append(
            Chart.lines(
                "Time to answer over time",
                "s",
                List.of(
                    answers("median", seconds, Tally.Second::median),
                    answers("99th percentile", seconds, Tally.Second::p99))));
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

  private static String people(Tally tally) {
    StringBuilder out =
        new StringBuilder(
            "<table><thead><tr><th></th><th>came</th><th>joined</th><th>had their turn</th>"
                + "<th>units</th><th>paid</th></tr></thead><tbody>");
    for (Kind kind : Kind.values()) {
      out.append(String.format(Locale.ROOT, "<tr><th>%s</th>", kind.text()));
      for (Step step : List.of(Step.CAME, Step.JOINED, Step.READY, Step.UNITS, Step.PAID)) {
        out.append(String.format(Locale.ROOT, "<td>%,d</td>", tally.count(kind, step)));
      }
      out.append("</tr>");
    }
    return out.append("</tbody></table>").toString();
  }

  private static String times(Tally tally) {
    StringBuilder out =
        new StringBuilder(
            "<h3>Time to answer, milliseconds</h3><table><thead><tr><th></th><th>calls</th>"
                + "<th>median</th><th>p95</th><th>p99</th><th>worst</th></tr></thead><tbody>");
    for (Tally.Times t : tally.times()) {
      out.append(
          String.format(
              Locale.ROOT,
              "<tr><th>%s</th><td>%,d</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td></tr>",
              t.call(),
              t.count(),
              t.median(),
              t.p95(),
              t.p99(),
              t.worst()));
    }
    return out.append("</tbody></table>").toString();
  }

  private static String refusals(Tally tally) {
    List<Chart.Bar> bars = new ArrayList<>();
    for (Map.Entry<String, Integer> entry : RehearsalReport.refusals(tally)) {
      bars.add(new Chart.Bar(escaped(entry.getKey()), entry.getValue()));
    }
    bars.add(new Chart.Bar("no answer", tally.lost()));
    return "<h3>Refusals by reason</h3>" + Chart.ranks("Refusals by reason", bars);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String template() {
    try (InputStream in = RehearsalPage.class.getResourceAsStream(TEMPLATE)) {
      if (in == null) {
        throw new IllegalStateException(TEMPLATE + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
