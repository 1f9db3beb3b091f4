package fairgate.crowd.rehearsal;

import fairgate.crowd.rehearsal.Tally.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The report of a rehearsal as text for the terminal.
public final class RehearsalReport {
  private static final int REFUSALS = 15;
  private static final int GROUPS = 10;

  private RehearsalReport() {}

  /// The waiting time of honest visitors, in groups by arrival.
  ///
  /// @param group 1 for the first tenth of them
  /// @param seconds the median
  record Wait(int group, double seconds) {}

  /// The report.
  ///
  /// @param named one result for each gate that was rehearsed, with its name
  public static String text(Map<String, RehearsalResult> named) {
    StringBuilder out = new StringBuilder();
    named.forEach((name, result) -> append(out, name, result));
    return out.toString();
  }

  private static void append(StringBuilder out, String name, RehearsalResult result) {
    Tally tally = result.tally();
    out.append("\n== ").append(name).append(" ==\n");
    out.append(
        String.format(
            Locale.ROOT,
            "%,d of %,d units sold; bots got %.1f %% of them.%s%n",
            result.sold(),
            result.plan().units(),
            100 * result.botShare(),
            result.oversold() ? " OVERSOLD." : ""));
    people(out, tally);
    times(out, tally);
    out.append("\nWaiting time of the honest by order of arrival (median, seconds):\n");
    if (tally.waits().isEmpty()) {
      out.append("  none of them had their turn\n");
    }
    for (Wait wait : waits(result)) {
      out.append(String.format(Locale.ROOT, "  tenth %2d  %7.1f%n", wait.group(), wait.seconds()));
    }
    out.append("\nRefusals:\n");
    for (Map.Entry<String, Integer> entry : refusals(tally)) {
      out.append(String.format(Locale.ROOT, "  %,9d  %s%n", entry.getValue(), entry.getKey()));
    }
    if (tally.lost() > 0) {
      out.append(String.format(Locale.ROOT, "  %,9d  no answer%n", tally.lost()));
    }
  }

  private static void people(StringBuilder out, Tally tally) {
    out.append("\n                    came    joined      turn     units      paid\n");
    for (Kind kind : Kind.values()) {
      out.append(
          String.format(
              Locale.ROOT,
              "%-14s %,9d %,9d %,9d %,9d %,9d%n",
              kind.text(),
              tally.count(kind, Step.CAME),
              tally.count(kind, Step.JOINED),
              tally.count(kind, Step.READY),
              tally.count(kind, Step.UNITS),
              tally.count(kind, Step.PAID)));
    }
  }

  private static void times(StringBuilder out, Tally tally) {
    out.append("\nanswers, ms        calls    median       p95       p99     worst\n");
    for (Tally.Times t : tally.times()) {
      out.append(
          String.format(
              Locale.ROOT,
              "%-14s %,9d %9.1f %9.1f %9.1f %9.1f%n",
              t.call(),
              t.count(),
              t.median(),
              t.p95(),
              t.p99(),
              t.worst()));
    }
  }

  /// The most frequent refusals, most frequent first.
  static List<Map.Entry<String, Integer>> refusals(Tally tally) {
    return tally.refusals().entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(REFUSALS)
        .toList();
  }

  static List<Wait> waits(RehearsalResult result) {
    List<Tally.WaitTime> all = new ArrayList<>(result.tally().waits());
    all.sort(Comparator.comparingLong(Tally.WaitTime::arrived));
    List<Wait> waits = new ArrayList<>();
    for (int group = 0; group < GROUPS; group++) {
      int from = all.size() * group / GROUPS;
      int to = all.size() * (group + 1) / GROUPS;
      if (to > from) {
        long[] times =
            all.subList(from, to).stream().mapToLong(Tally.WaitTime::millis).sorted().toArray();
        waits.add(new Wait(group + 1, times[times.length / 2] / 1000.0));
      }
    }
    return waits;
  }
}
