package fairgate.gate.risk;

import java.util.List;
import java.util.function.Supplier;

/// The bundles in force on this node. Implemented by policies; [BuiltInBundle] until one is
/// activated. Called on every judged request, so it reads memory only. Thread-safe.
public interface BundleSource {
  /// The bundle that decides for this subject. A subject keeps its bundle while a canary runs.
  ///
  /// @param subject the keyed hash of the person or device, as in the decision log; asked for only
  ///   while a canary runs
  CompiledBundle bundleFor(Supplier<String> subject);

  /// Called with each decision, on the thread that made it. Must not block.
  default void decided(RiskDecision decision) {}

  /// Bundles that are assessed and recorded without effect; usually none.
  default List<CompiledBundle> shadows() {
    return List.of();
  }
}
