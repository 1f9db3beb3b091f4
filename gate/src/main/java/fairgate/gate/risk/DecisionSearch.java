package fairgate.gate.risk;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Recorded decisions for operators, newest first.
public interface DecisionSearch {
  /// At most as many decisions as the query's limit. Blocks: for virtual threads.
  List<Entry> page(Query query);

  /// A search. Null members match everything.
  ///
  /// @param from start in ms, inclusive
  /// @param to end in ms, exclusive
  /// @param device the hash of the device within the sale, as orders have it
  /// @param actions empty for all
  /// @param reason the code of a rule
  /// @param before only decisions before this one
  record Query(
      double from,
      double to,
      @Nullable String sale,
      @Nullable String device,
      List<RiskAction> actions,
      @Nullable String reason,
      @Nullable Cursor before,
      int limit) {
    public Query {
      actions = List.copyOf(actions);
    }
  }

  /// The position of a decision.
  ///
  /// @param micros its time since the epoch
  record Cursor(long micros, String id) {}

  record Reason(String code, int points) {}

  /// A recorded decision.
  ///
  /// @param micros its time since the epoch
  /// @param device null without a device
  /// @param reasons most points first
  /// @param shadow codes of the rules in observation that matched
  /// @param applied whether the action took effect
  /// @param degraded whether a source of features was missing
  /// @param outcomes what became of it: `paid`, `unpaid`, `appeal_won`, ...
  record Entry(
      String id,
      long micros,
      String route,
      String sale,
      @Nullable String device,
      int score,
      String band,
      String action,
      List<Reason> reasons,
      List<String> shadow,
      boolean applied,
      boolean degraded,
      List<String> outcomes) {
    public Entry {
      reasons = List.copyOf(reasons);
      shadow = List.copyOf(shadow);
      outcomes = List.copyOf(outcomes);
    }

    public Cursor cursor() {
      return new Cursor(micros, id);
    }
  }
}
