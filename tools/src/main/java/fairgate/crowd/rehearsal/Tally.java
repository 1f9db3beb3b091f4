package fairgate.crowd.rehearsal;

import fairgate.crowd.Answer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// Everything that is counted while the crowd is on its way. Safe for threads.
public final class Tally {
  private static final long LONGEST_MICROS = 120_000_000;

  private final long start = System.nanoTime();
  private final Map<Call, Histogram> times = new EnumMap<>(Call.class);
  private final Map<Counter, Integer> people = new HashMap<>();
  private final Map<String, Integer> refusals = new TreeMap<>();
  private final List<Moment> moments = new ArrayList<>();
  private final List<WaitTime> waits = new ArrayList<>();
  private final Map<Long, Histogram> seconds = new TreeMap<>();
  private final Set<String> orders = new HashSet<>();
  private int lost;

  private record Counter(Kind kind, Step step) {}

  /// How far a visitor came.
  enum Step {
    CAME,
    JOINED,
    READY,
    BOUGHT,
    UNITS,
    PAID,
    LEFT
  }

  /// The counters of the sale at one instant.
  ///
  /// @param at milliseconds since the first visitor came
  record Moment(long at, long waiting, long active, long ready, long admitted, long sold) {}

  /// An honest visitor whose turn came.
  ///
  /// @param arrived milliseconds after the first visitor
  record WaitTime(long arrived, long millis) {}

  /// Answer times of all calls that ended within one second, in milliseconds.
  ///
  /// @param at seconds since the first visitor came
  record Second(long at, double median, double p99) {}

  /// One line of the table of answer times, in milliseconds.
  record Times(String call, long count, double median, double p95, double p99, double worst) {}

  synchronized void called(Call call, Answer answer, long nanos) {
    long micros = Math.min(LONGEST_MICROS, Math.max(1, nanos / 1000));
    times.computeIfAbsent(call, _ -> new Histogram(LONGEST_MICROS, 3)).recordValue(micros);
    long second = (System.nanoTime() - start) / 1_000_000_000;
    seconds.computeIfAbsent(second, _ -> new Histogram(LONGEST_MICROS, 2)).recordValue(micros);
    if (answer.unknown()) {
      lost++;
    } else if (answer.status() >= 400) {
      String error = answer.error().isEmpty() ? "HTTP " + answer.status() : answer.error();
      refusals.merge(call.text() + ": " + error, 1, Integer::sum);
    }
  }

  synchronized void stepped(Kind kind, Step step, int by) {
    people.merge(new Counter(kind, step), by, Integer::sum);
  }

  /// A purchase succeeded. An order counts once, even if it is reported repeatedly.
  synchronized void bought(Kind kind, String order, int units) {
    if (orders.add(order)) {
      stepped(kind, Step.BOUGHT, 1);
      stepped(kind, Step.UNITS, units);
    }
  }

  synchronized void waited(long arrived, long millis) {
    waits.add(new WaitTime(arrived, millis));
  }

  synchronized void seen(Moment moment) {
    moments.add(moment);
  }

  synchronized int count(Kind kind, Step step) {
    return people.getOrDefault(new Counter(kind, step), 0);
  }

  /// Turns, purchases and payments so far.
  synchronized int gains() {
    return people.entrySet().stream()
        .filter(e -> EnumSet.of(Step.READY, Step.BOUGHT, Step.PAID).contains(e.getKey().step()))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  synchronized int lost() {
    return lost;
  }

  synchronized List<Moment> moments() {
    return List.copyOf(moments);
  }

  synchronized List<Second> seconds() {
    return seconds.entrySet().stream()
        .map(
            entry ->
                new Second(
                    entry.getKey(),
                    entry.getValue().getValueAtPercentile(50) / 1000.0,
                    entry.getValue().getValueAtPercentile(99) / 1000.0))
        .toList();
  }

  synchronized List<WaitTime> waits() {
    return List.copyOf(waits);
  }

  synchronized Map<String, Integer> refusals() {
    return new TreeMap<>(refusals);
  }

  /// Answers of status 500: there should be none.
  synchronized int serverErrors() {
    return refusals.entrySet().stream()
        .filter(entry -> entry.getKey().endsWith("SERVER_ERROR"))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  synchronized List<Times> times() {
    return times.entrySet().stream()
        .map(
            entry -> {
              Histogram h = entry.getValue();
              return new Times(
                  entry.getKey().text(),
                  h.getTotalCount(),
                  h.getValueAtPercentile(50) / 1000.0,
                  h.getValueAtPercentile(95) / 1000.0,
                  h.getValueAtPercentile(99) / 1000.0,
                  h.getMaxValue() / 1000.0);
            })
        .toList();
  }
}
