package fairgate.gate.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Limits the requests or streams that one caller has running on this node. A caller is an address,
/// or the account of a signed-in caller.
///
/// Counted in memory and not in Redis: it protects this node's connections and handlers, it works
/// while Redis is away, and a node that dies leaves nothing counted. With n nodes a caller may have
/// n times as many running. One entry for each caller that has something running.
final class ConcurrencyLimit {
  private final int max;
  private final Map<Object, Integer> running = new ConcurrentHashMap<>();

  ConcurrencyLimit(int max) {
    this.max = max;
  }

  int max() {
    return max;
  }

  /// Takes one place; false when none is free. The caller of a taken place must call `leave`.
  ///
  /// @param who the number of an address, or the id of an account
  boolean enter(Object who) {
    if (running.merge(who, 1, Integer::sum) <= max) {
      return true;
    }
    leave(who);
    return false;
  }

  void leave(Object who) {
    running.computeIfPresent(who, (_, count) -> count == 1 ? null : count - 1);
  }

  /// The number of callers with something running.
  int callers() {
    return running.size();
  }

  /// The highest number running for one caller.
  int highest() {
    return running.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }
}
