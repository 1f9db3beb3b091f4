package fairgate.prove.environment;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Waits for conditions.
public final class Waiting {
  private static final long LOOK_MS = 20;

  private Waiting() {}

  /// Waits until the condition holds.
  ///
  /// @param what for the message
  /// @throws IllegalStateException if it does not hold within the time
  public static void until(String what, Duration max, BooleanSupplier holds) {
    if (!holds(max, holds)) {
      throw new IllegalStateException(what + ": not within " + max.toSeconds() + " s");
    }
  }

  /// Whether it holds within the time.
  public static boolean holds(Duration max, BooleanSupplier holds) {
    long deadline = System.nanoTime() + max.toNanos();
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        return false;
      }
      rest(LOOK_MS);
    }
    return true;
  }

  public static void rest(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
