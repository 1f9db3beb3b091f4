package fairgate.gate.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Limits the requests or streams that one address has running on this node.
///
/// Counted in memory and not in Redis: it protects this node's connections and handlers, it works
/// while Redis is away, and a node that dies leaves nothing counted. With n nodes an address may
/// have n times as many running. One entry for each address that has something running.
final class ConcurrencyLimit {
  private final int max;
  private final Map<Long, Integer> running = new ConcurrentHashMap<>();

  ConcurrencyLimit(int max) {
    this.max = max;
  }

  int max() {
    return max;
  }

  /// Takes one place; false when none is free. The caller of a taken place must call `leave`.
  boolean enter(long address) {
    if (running.merge(address, 1, Integer::sum) <= max) {
      return true;
    }
    leave(address);
    return false;
  }

  void leave(long address) {
    running.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
  }

  /// The number of addresses with something running.
  int addresses() {
    return running.size();
  }

  /// The highest number running for one address.
  int highest() {
    return running.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }
}
