package fairgate.bench.soak;

import fairgate.bench.Table;
import java.util.Locale;
import java.util.Map;

/// What the figures come to, row by row.
final class Verdicts {
  private static final Series.Allowed MEDIAN = new Series.Allowed(0.25, 0.5);
  private static final Series.Allowed SLOWEST = new Series.Allowed(0.5, 4);

  private static final double COME_BACK = 0.001;
  private static final double KEPT = 0.15;

  private final Table table;
  private final Course course;
  private final Tally tally;
  private final double rate;
  private boolean flat = true;

  Verdicts(Table table, Course course, Tally tally, double rate) {
    this.table = table;
    this.course = course;
    this.tally = tally;
    this.rate = rate;
  }

  boolean flat() {
    return flat;
  }

  void tell() {
    answers();
    for (Figure figure : Figure.values()) {
      row(figure.wording(), course.figure(figure), figure.unit(), figure.allowed());
    }
    latency();
    course.fates().forEach(this::fate);
  }

  private void answers() {
    row(
        "answers as they should be, at %,.0f acts a second".formatted(rate),
        "%,d".formatted(tally.granted()),
        tally.wrong().isEmpty() ? "none wrong" : tally.wrong().toString(),
        "none wrong or missing",
        tally.wrong().isEmpty());
    int refused = tally.refused().values().stream().mapToInt(Integer::intValue).sum();
    row(
        "told to come back, by a limit (429) or because Redis took too long to judge one (503)",
        tally.refused().isEmpty() ? "none" : tally.refused().toString(),
        "%.4f of all".formatted(refused / (double) tally.granted()),
        "at most %.4f".formatted(COME_BACK),
        refused <= COME_BACK * tally.granted());
    double before = course.redis().slope(1);
    double after = course.redis().slope(3);
    row(
        "what Redis grows by for each who joins, all else included",
        "%,.0f bytes, %,.0f bytes".formatted(before, after),
        "%+,.0f".formatted(after - before),
        "%+,.0f".formatted(KEPT * before),
        after <= (1 + KEPT) * before);
  }

  private void latency() {
    for (Map.Entry<Act, Series> one : course.p50().entrySet()) {
      row(one.getKey().wording() + ", median", one.getValue(), "ms", MEDIAN);
      Series slowest = course.p99().get(one.getKey());
      if (slowest != null) {
        row(one.getKey().wording() + ", p99", slowest, "ms", SLOWEST);
      }
    }
  }

  private void fate(Bad kind, BadCrowd.Fate fate) {
    boolean inTime = kind.longest() == 0 || fate.longest() <= kind.longest();
    row(
        "%d at once: %s".formatted(kind.count(), kind.wording()),
        "%,d came, %,d ended by the server, oldest %.1f s"
            .formatted(fate.made(), fate.ended(), fate.longest()),
        "%d not as they should".formatted(fate.failed()),
        kind.longest() == 0 ? "none" : "none, ended within %d s".formatted(kind.longest()),
        inTime && fate.failed() == 0);
  }

  private void row(String what, Series series, String unit, Series.Allowed allowed) {
    double start = series.quarter(1);
    String unitOf = unit.isEmpty() ? "" : " " + unit;
    row(
        what,
        String.format(Locale.ROOT, "%,.1f%s, %,.1f%s", start, unitOf, series.quarter(3), unitOf),
        String.format(Locale.ROOT, "%+,.2f", series.rise()),
        String.format(Locale.ROOT, "%+,.2f", allowed.of(start)),
        !series.isEmpty() && series.flat(allowed));
  }

  void row(String what, String measured, String result, String asked, boolean met) {
    flat &= met;
    table.row(what, measured, result, asked, met);
  }
}
