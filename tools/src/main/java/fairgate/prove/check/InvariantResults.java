package fairgate.prove.check;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Counts comparisons per invariant, and keeps the failed ones. Thread-safe.
public final class InvariantResults {
  private static final int MAX_EXAMPLES = 12;

  private final Map<Invariant, InvariantResult> verdicts = new EnumMap<>(Invariant.class);

  /// The result of one invariant.
  ///
  /// @param facts the number of comparisons; 0 means that nothing exercised it
  /// @param excused comparisons that were skipped because Redis had lost the data
  /// @param broken failed comparisons
  /// @param examples descriptions of the first failures
  public record InvariantResult(long facts, long excused, long broken, List<String> examples) {
    static final InvariantResult NONE = new InvariantResult(0, 0, 0, List.of());

    public String word() {
      return broken > 0 ? "FAILED" : facts > 0 ? "ok" : "not exercised";
    }
  }

  /// Counts a comparison, and records the message if it does not hold.
  @FormatMethod
  synchronized void that(
      Invariant invariant, boolean holds, @FormatString String otherwise, @Nullable Object... of) {
    InvariantResult was = verdicts.getOrDefault(invariant, InvariantResult.NONE);
    List<String> examples = was.examples();
    if (!holds && examples.size() < MAX_EXAMPLES) {
      examples = new ArrayList<>(examples);
      examples.add(String.format(Locale.ROOT, otherwise, of));
    }
    verdicts.put(
        invariant,
        new InvariantResult(
            was.facts() + 1, was.excused(), was.broken() + (holds ? 0 : 1), examples));
  }

  synchronized void excuse(Invariant invariant) {
    InvariantResult was = verdicts.getOrDefault(invariant, InvariantResult.NONE);
    verdicts.put(
        invariant,
        new InvariantResult(was.facts(), was.excused() + 1, was.broken(), was.examples()));
  }

  /// All of them, in order.
  public synchronized Map<Invariant, InvariantResult> verdicts() {
    Map<Invariant, InvariantResult> all = new LinkedHashMap<>();
    for (Invariant invariant : Invariant.values()) {
      all.put(invariant, verdicts.getOrDefault(invariant, InvariantResult.NONE));
    }
    return all;
  }

  /// Whether anything did not hold.
  public synchronized boolean failed() {
    return verdicts.values().stream().anyMatch(one -> one.broken() > 0);
  }
}
