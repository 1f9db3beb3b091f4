package fairgate.gate.appeal;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// Lets one ruling at a time run on a node, in the order of the calls. A ruling holds a connection
/// to PostgreSQL while its effects need others: many at once could take all of them, and wait for
/// each other. The lock of the appeal's row keeps two nodes from ruling on it.
final class DecisionLock {
  private static final Duration MAX_WAIT = Duration.ofSeconds(3);

  private final ReentrantLock lock = new ReentrantLock(/* fair= */ true);

  /// Runs a decision. Blocks; throws ServiceUnavailable if it cannot begin within three seconds.
  <T> T run(Supplier<T> decision) {
    try {
      if (!lock.tryLock(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new ServiceUnavailable("other appeals are being decided", Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted", Duration.ofSeconds(1));
    }
    try {
      return decision.get();
    } finally {
      lock.unlock();
    }
  }
}
