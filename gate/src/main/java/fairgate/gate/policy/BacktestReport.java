package fairgate.gate.policy;

import fairgate.gate.policy.Guardrails.WilsonInterval;
import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskAction;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.kernel.Hashes;
import fairgate.platform.json.JsonText;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a bundle would have changed in recorded decisions. The same bundle and decisions give the
/// same JSON, so its hash proves which report an operator saw. Not thread-safe.
///
/// A decision is stricter when it moves to a seat behind, to a hold or to a refusal from something
/// milder; milder the other way round.
final class BacktestReport {
  private static final int MAX_EXAMPLES = 20;

  /// Places after the point in shares.
  private static final double ROUNDING = 1e6;

  private final String bundle;
  private final RecordedDecisions.Range range;
  private final Map<Move, Labels> matrix = new TreeMap<>();
  private final Map<String, RuleCount> rules = new TreeMap<>();
  private final Labels all = new Labels();
  private final Labels changed = new Labels();
  private final Labels stricter = new Labels();
  private final Labels milder = new Labels();
  private final Map<OutcomeLabel, List<JsonText>> examples = new EnumMap<>(OutcomeLabel.class);
  private long skipped;
  private @Nullable String json;

  BacktestReport(String bundle, RecordedDecisions.Range range) {
    this.bundle = bundle;
    this.range = range;
  }

  /// Runs a version on recorded decisions. Nothing is decided or recorded again. Blocks, and takes
  /// some seconds for 100,000 decisions.
  static BacktestReport of(
      RecordedDecisions decisions, PolicyVersion version, RecordedDecisions.Range range) {
    if (!(CompiledBundle.recompile(version.bundle())
        instanceof CompiledBundle.Outcome.Accepted(CompiledBundle bundle))) {
      throw new IllegalStateException("a published bundle does not compile: " + version.version());
    }
    BacktestReport report = new BacktestReport(bundle.hash(), range);
    decisions.forEachPage(
        range,
        true,
        page -> {
          List<Judged> judged = DecisionReplay.inParallel(page, one -> judge(bundle, one));
          judged.forEach(one -> report.add(one.recorded(), one.again()));
        });
    return report;
  }

  /// @param again null when the features cannot be read by this build
  private record Judged(RecordedDecision recorded, @Nullable Assessment again) {}

  private static Judged judge(CompiledBundle bundle, RecordedDecision recorded) {
    Features features = recorded.features();
    return new Judged(recorded, features != null ? RiskEngine.assess(bundle, features) : null);
  }

  private record Move(RiskAction from, RiskAction to) implements Comparable<Move> {
    @Override
    public int compareTo(Move other) {
      int byFrom = from.compareTo(other.from);
      return byFrom != 0 ? byFrom : to.compareTo(other.to);
    }
  }

  private static final class Labels {
    private final Map<OutcomeLabel, Long> counts = new EnumMap<>(OutcomeLabel.class);

    void add(OutcomeLabel label) {
      counts.merge(label, 1L, Long::sum);
    }

    long of(OutcomeLabel label) {
      return counts.getOrDefault(label, 0L);
    }

    long sum() {
      return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    JsonText addTo(JsonText json) {
      for (OutcomeLabel label : OutcomeLabel.values()) {
        json.put(label.word(), of(label));
      }
      return json;
    }
  }

  /// A rule's matches, and the decisions among them that became stricter.
  private record RuleCount(Labels matched, Labels stricter) {}

  /// @param again the assessment by the bundle; null when it cannot judge the features
  void add(RecordedDecision recorded, @Nullable Assessment again) {
    RiskAction before = RiskAction.named(recorded.action()).orElse(null);
    if (again == null || before == null) {
      skipped++;
      return;
    }
    RiskAction after = again.action();
    OutcomeLabel label = recorded.label();
    all.add(label);
    matrix.computeIfAbsent(new Move(before, after), _ -> new Labels()).add(label);
    boolean isStricter = !isStrict(before) && isStrict(after);
    for (Assessment.Reason reason : again.reasons()) {
      RuleCount count =
          rules.computeIfAbsent(reason.code(), _ -> new RuleCount(new Labels(), new Labels()));
      count.matched().add(label);
      if (isStricter) {
        count.stricter().add(label);
      }
    }
    if (before != after) {
      changed.add(label);
      keepExample(recorded, again, label);
    }
    if (isStricter) {
      stricter.add(label);
    } else if (isStrict(before) && !isStrict(after)) {
      milder.add(label);
    }
  }

  /// Whether an action puts a buyer at a disadvantage.
  static boolean isStrict(RiskAction action) {
    return action.compareTo(RiskAction.SEAT_BEHIND) >= 0;
  }

  private void keepExample(RecordedDecision recorded, Assessment again, OutcomeLabel label) {
    List<JsonText> kept = examples.computeIfAbsent(label, _ -> new ArrayList<>());
    if (kept.size() < MAX_EXAMPLES) {
      kept.add(
          JsonText.object()
              .put("decision", recorded.id())
              .put("at", recorded.at().toString())
              .put("outcome", label.word())
              .put("from", recorded.action())
              .put("to", again.action().word())
              .put("score_from", recorded.score())
              .put("score_to", again.score())
              .putAny("reasons", DecisionReplay.reasonsOf(again)));
    }
  }

  /// The complete report. Nothing may be added after it.
  String json() {
    String written = json;
    if (written == null) {
      written = write();
      json = written;
    }
    return written;
  }

  /// SHA-256 of the JSON, hexadecimal.
  String hash() {
    return Hashes.sha256Hex(json());
  }

  private String write() {
    long bots = stricter.of(OutcomeLabel.BOT);
    long humans = stricter.of(OutcomeLabel.HUMAN);
    return JsonText.object()
        .put("bundle", bundle)
        .put("from", range.from().toString())
        .put("to", range.to().toString())
        .put("decisions", all.addTo(JsonText.object().put("all", all.sum())))
        .put("skipped", skipped)
        .put("changed", share(changed, all))
        .put("stricter", share(stricter, all))
        .put("milder", share(milder, all))
        .putAny("humans_harmed_per_bot_stopped", bots == 0 ? null : rounded((double) humans / bots))
        .put("matrix", matrixJson())
        .put("rules", rulesJson())
        .put("examples", examplesJson())
        .toString();
  }

  private JsonText matrixJson() {
    JsonText rows = JsonText.array();
    matrix.forEach(
        (move, labels) ->
            rows.add(
                labels.addTo(
                    JsonText.object()
                        .put("from", move.from().word())
                        .put("to", move.to().word()))));
    return rows;
  }

  private JsonText rulesJson() {
    JsonText rows = JsonText.array();
    rules.forEach(
        (code, count) ->
            rows.add(
                JsonText.object()
                    .put("code", code)
                    .put("matched", share(count.matched(), all))
                    .put("stricter", share(count.stricter(), all))));
    return rows;
  }

  /// Examples of people first: they are the damage.
  private JsonText examplesJson() {
    JsonText rows = JsonText.array();
    int left = MAX_EXAMPLES;
    for (OutcomeLabel label : OutcomeLabel.values()) {
      List<JsonText> kept = examples.getOrDefault(label, List.of());
      for (JsonText example : kept.subList(0, Math.min(left, kept.size()))) {
        rows.add(example);
        left--;
      }
    }
    return rows;
  }

  /// By label: the number, and the bounds of the share at 95 percent.
  private static JsonText share(Labels part, Labels whole) {
    JsonText json = JsonText.object().put("all", shareOf(part.sum(), whole.sum()));
    for (OutcomeLabel label : OutcomeLabel.values()) {
      json.put(label.word(), shareOf(part.of(label), whole.of(label)));
    }
    return json;
  }

  private static JsonText shareOf(long n, long total) {
    WilsonInterval interval = WilsonInterval.of(n, total);
    return JsonText.object()
        .put("n", n)
        .put("of", total)
        .putAny("low", rounded(interval.low()))
        .putAny("high", rounded(interval.high()));
  }

  private static double rounded(double value) {
    return Math.round(value * ROUNDING) / ROUNDING;
  }
}
