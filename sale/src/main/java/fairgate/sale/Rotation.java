package fairgate.sale;

import fairgate.kernel.ProductId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// Selects the sales that are due for a comparison with the ledger: each after its own period, and
/// at least one per Redis node at each call, so that a node that lost everything is noticed at
/// once. Not thread-safe.
final class Rotation<T> {
  private final Function<T, ProductId> idOf;
  private final Function<T, String> nodeOf;
  private final Function<T, Duration> period;
  private final LongSupplier nanos;
  private final Map<ProductId, Long> checkedAt = new HashMap<>();

  /// @param nodeOf the Redis node that has the sale
  /// @param period how often the sale is due
  Rotation(
      Function<T, ProductId> idOf,
      Function<T, String> nodeOf,
      Function<T, Duration> period,
      LongSupplier nanos) {
    this.idOf = idOf;
    this.nodeOf = nodeOf;
    this.period = period;
    this.nanos = nanos;
  }

  /// Returns the sales that are due now and counts them as checked.
  List<T> due(Collection<T> all) {
    long now = nanos.getAsLong();
    List<T> due = new ArrayList<>();
    Set<String> covered = new HashSet<>();
    Map<String, T> oldest = new HashMap<>();
    for (T one : all) {
      Long at = checkedAt.get(idOf.apply(one));
      String node = nodeOf.apply(one);
      if (at == null || now - at >= period.apply(one).toNanos()) {
        due.add(one);
        covered.add(node);
      } else {
        oldest.merge(node, one, (a, b) -> at(a) - at(b) <= 0 ? a : b);
      }
    }
    oldest.forEach(
        (node, one) -> {
          if (!covered.contains(node)) {
            due.add(one);
          }
        });
    due.forEach(one -> checkedAt.put(idOf.apply(one), now));
    return due;
  }

  void reset() {
    checkedAt.clear();
  }

  private long at(T one) {
    return checkedAt.getOrDefault(idOf.apply(one), Long.MIN_VALUE / 2);
  }
}
