package fairgate.gate.policy;

import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.platform.run.BlockingWork;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Computes recorded decisions again, from the recorded features and the recorded bundle, and
/// compares every part of the result with the record.
public final class DecisionReplay {
  /// Differing decisions that are named.
  private static final int MAX_NAMED = 20;

  private final RecordedDecisions decisions;
  private final Map<String, CompiledBundle> bundles = new TreeMap<>();

  /// Compiles every recorded bundle. Blocks.
  public DecisionReplay(RecordedDecisions decisions) {
    this.decisions = decisions;
    decisions
        .bundles()
        .forEach(
            (sha256, json) -> {
              if (CompiledBundle.recompile(json)
                  instanceof CompiledBundle.Outcome.Accepted(CompiledBundle bundle)) {
                bundles.put(sha256, bundle);
              }
            });
  }

  /// A decision computed again.
  ///
  /// @param again null when the bundle or the features cannot be read by this build
  public record Replayed(
      RecordedDecision recorded, @Nullable Assessment again, @Nullable CompiledBundle bundle) {
    /// Whether score, band, action, reasons and shadow rules are exactly those of the record.
    public boolean isIdentical() {
      return again != null
          && again.score() == recorded.score()
          && again.band().word().equals(recorded.band())
          && again.action().word().equals(recorded.action())
          && again.shadow().equals(recorded.shadow())
          && reasonsOf(again).equals(recorded.reasons());
    }
  }

  /// The result of many replays.
  ///
  /// @param named ids of decisions that differ, at most 20
  public record Summary(long decisions, long different, List<String> named) {
    public Summary {
      named = List.copyOf(named);
    }
  }

  /// The reasons in the form of the record.
  static List<String> reasonsOf(Assessment assessment) {
    return assessment.reasons().stream()
        .map(reason -> reason.code() + ':' + reason.points())
        .toList();
  }

  /// One decision; empty when there is none with this id.
  public Optional<Replayed> one(String id) {
    return decisions.find(id).map(this::replay);
  }

  public Summary range(RecordedDecisions.Range range) {
    long[] counts = {0, 0};
    List<String> named = new ArrayList<>();
    decisions.forEachPage(
        range,
        false,
        page -> {
          counts[0] += page.size();
          List<Boolean> identical = inParallel(page, decision -> replay(decision).isIdentical());
          for (int i = 0; i < page.size(); i++) {
            if (!identical.get(i)) {
              counts[1]++;
              if (named.size() < MAX_NAMED) {
                named.add(page.get(i).id());
              }
            }
          }
        });
    return new Summary(counts[0], counts[1], named);
  }

  private Replayed replay(RecordedDecision recorded) {
    CompiledBundle bundle = bundles.get(recorded.bundle());
    Features features = recorded.features();
    return new Replayed(
        recorded,
        bundle != null && features != null ? RiskEngine.assess(bundle, features) : null,
        bundle);
  }

  /// Applies a function to all items on all processors; the results have the order of the items.
  static <I, O> List<O> inParallel(List<I> items, java.util.function.Function<I, O> function) {
    int workers = Runtime.getRuntime().availableProcessors();
    AtomicReferenceArray<O> results = new AtomicReferenceArray<>(items.size());
    BlockingWork.forEach(
        "replay",
        IntStream.range(0, workers).boxed().toList(),
        worker -> {
          for (int i = worker; i < items.size(); i += workers) {
            results.set(i, function.apply(items.get(i)));
          }
        });
    List<O> all = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      all.add(results.get(i));
    }
    return all;
  }
}
