package fairgate.draw;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/// The readers of large files at the same time, in all and of one address, so that slow readers at
/// one address leave places for others. Thread-safe; keeps nothing of addresses without a reader.
final class ReaderPlaces {
  private final Semaphore all;
  private final int perAddress;
  private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();

  ReaderPlaces(int max, int perAddress) {
    this.all = new Semaphore(max);
    this.perAddress = perAddress;
  }

  /// Whether a reader at this address has no place now.
  boolean isFull(String address) {
    return all.availablePermits() == 0 || byAddress.getOrDefault(address, 0) >= perAddress;
  }

  /// Takes a place, which `leave` gives back; false if there is none.
  boolean enter(String address) {
    if (!all.tryAcquire()) {
      return false;
    }
    if (byAddress.merge(address, 1, Integer::sum) > perAddress) {
      leave(address);
      return false;
    }
    return true;
  }

  void leave(String address) {
    var _ = byAddress.computeIfPresent(address, (_, count) -> count > 1 ? count - 1 : null);
    all.release();
  }
}
