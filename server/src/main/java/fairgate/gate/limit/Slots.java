package fairgate.gate.limit;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// How much each address has running on this node, up to a limit.
///
/// Counted in this node's memory and not in Redis: what it protects, connections and running
/// handlers, is this node's own; it holds while Redis is away; and a node that dies leaves nothing
/// counted. So with n nodes an address may have n times as much running. Holds one entry for each
/// address that has something running.
final class Slots {
  private final int most;
  private final Map<Long, Integer> running = new ConcurrentHashMap<>();

  Slots(int most) {
    this.most = most;
  }

  int most() {
    return most;
  }

  /// Whether there was room for one more; if so, it has to leave.
  boolean enter(long address) {
    if (running.merge(address, 1, Integer::sum) <= most) {
      return true;
    }
    leave(address);
    return false;
  }

  void leave(long address) {
    running.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
  }

  /// How many addresses have something running.
  int addresses() {
    return running.size();
  }

  /// The most any address has running now.
  int highest() {
    return running.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }
}
