package fairgate.platform.postgres;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// A pass of a periodic job that looks for rows to work on. After a pass that has found none it
/// rests until something is written to the database, and for at most five seconds, because rows
/// become due by the clock. Used by one thread.
final class RestingPass implements Runnable {
  static final Duration MAX_REST = Duration.ofSeconds(5);

  private final Supplier<String> snapshot;
  private final LongSupplier nanos;
  private final BooleanSupplier pass;
  private String read = "";
  private long restUntil;

  /// @param snapshot the same as long as nothing is written; empty while unknown
  /// @param pass returns whether it has found rows
  RestingPass(Supplier<String> snapshot, LongSupplier nanos, BooleanSupplier pass) {
    this.snapshot = snapshot;
    this.nanos = nanos;
    this.pass = pass;
  }

  @Override
  public void run() {
    // Taken before the pass, which reads the rows of this snapshot or of a later one.
    String current = snapshot.get();
    boolean unchanged = !current.isEmpty() && current.equals(read);
    if (unchanged && nanos.getAsLong() - restUntil < 0) {
      return;
    }
    read = "";
    if (!pass.getAsBoolean()) {
      read = current;
      restUntil = nanos.getAsLong() + MAX_REST.toNanos();
    }
  }
}
