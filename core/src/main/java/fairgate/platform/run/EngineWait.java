package fairgate.platform.run;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// How long a program that has just started waits for an engine. On a busy machine its first
/// encrypted connection takes many seconds, so an engine that does not answer is asked again until
/// the time ends. Any other failure ends the waiting, and so does an engine that refuses the login
/// or the certificate.
///
/// @param limit of all attempts together
public record EngineWait(Duration limit) {
  private static final Duration PAUSE = Duration.ofMillis(500);

  /// The result of a call without side effects. Blocks. Throws ServiceUnavailable when there is
  /// none in time, and what else the call fails with.
  public <T> T answer(Supplier<Future<T>> call) {
    long end = System.nanoTime() + limit.toNanos();
    return call(
        () -> {
          try {
            return call.get().await(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
          } catch (TimeoutException _) {
            throw new ServiceUnavailable("nothing within " + limit.toSeconds() + " s", PAUSE);
          }
        });
  }

  /// The result of a blocking call without side effects, as in [#answer]. The call needs a time
  /// limit of its own.
  public <T> T call(Supplier<T> call) {
    long last = System.nanoTime() + limit.minus(PAUSE).toNanos();
    while (true) {
      try {
        return call.get();
      } catch (ServiceUnavailable e) {
        if (e.isRefusal() || System.nanoTime() - last >= 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
