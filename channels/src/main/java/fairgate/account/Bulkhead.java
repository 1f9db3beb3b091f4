package fairgate.account;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/// Runs slow work on virtual threads, with a maximum number of concurrent calls; further calls are
/// refused with a retry time. It keeps a storm of logins from using up threads, connections and
/// memory.
public final class Bulkhead {
  private final String name;
  private final int max;
  private final Duration comeBack;
  private final Semaphore places;

  /// @param comeBack estimated time until a full bulkhead has room
  public Bulkhead(String name, int max, Duration comeBack) {
    this.name = name;
    this.max = max;
    this.comeBack = comeBack;
    this.places = new Semaphore(max);
  }

  /// The future completes with the result of the work, or fails with ServiceUnavailable at once.
  public <T> Future<T> run(Supplier<T> work) {
    if (!places.tryAcquire()) {
      return Future.failedFuture(new ServiceUnavailable(name + ": all places are taken", comeBack));
    }
    Promise<T> done = Promise.promise();
    BlockingWork.start(name, () -> perform(work, done));
    return done.future();
  }

  /// Frees the place first: a caller that waits for the future and comes again finds it free.
  private <T> void perform(Supplier<T> work, Promise<T> done) {
    T result;
    try {
      result = work.get();
    } catch (RuntimeException | Error e) {
      places.release();
      done.fail(e);
      return;
    }
    places.release();
    done.complete(result);
  }

  int used() {
    return max - places.availablePermits();
  }
}
