package fairgate.platform.run;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts blocking work on virtual threads. The number of threads is not limited; a caller that
/// serves strangers limits its own work.
///
/// Background work is work that nobody waits for: periodic jobs, the outbox relay. The pool of
/// connections to PostgreSQL keeps connections free of it, for requests.
public final class BlockingWork {
  private static final Logger LOG = LoggerFactory.getLogger(BlockingWork.class);
  private static final ScopedValue<Boolean> BACKGROUND = ScopedValue.newInstance();

  private BlockingWork() {}

  /// Starts the work and returns its thread. An exception of the work is logged as an error.
  @CanIgnoreReturnValue
  public static Thread start(String name, Runnable work) {
    return Thread.ofVirtual()
        .name(name)
        .uncaughtExceptionHandler((_, e) -> LOG.error("Background work failed; work={}", name, e))
        .start(work);
  }

  /// Starts background work, as `start` does. Other threads that it starts are background work only
  /// if they are started by this method or by `forEach`.
  @CanIgnoreReturnValue
  public static Thread startBackground(String name, Runnable work) {
    return start(name, () -> ScopedValue.where(BACKGROUND, true).run(work));
  }

  /// Whether the current thread does background work.
  public static boolean isBackground() {
    return BACKGROUND.orElse(false);
  }

  /// Starts the work. The future completes on the thread of the work, with its result or with what
  /// it threw.
  public static <T> Future<T> call(String name, Supplier<T> work) {
    Promise<T> result = Promise.promise();
    start(
        name,
        () -> {
          try {
            result.complete(work.get());
          } catch (RuntimeException | Error e) {
            result.fail(e);
          }
        });
    return result.future();
  }

  /// The result of a call. Blocks: for virtual threads. Throws what the call fails with, and
  /// ServiceUnavailable when it takes longer than the limit.
  ///
  /// @param late the message of that exception
  public static <T> T within(Duration limit, Future<T> call, String late) {
    try {
      return call.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable(late, Duration.ofSeconds(1));
    }
  }

  /// Works on all items at the same time, one thread for each, and waits for all of them. An
  /// interrupt ends the waiting, not the work. Part of background work is background work.
  public static <T> void forEach(String name, List<T> items, Consumer<T> work) {
    List<Thread> threads = new ArrayList<>(items.size());
    for (T item : items) {
      Runnable part = () -> work.accept(item);
      threads.add(isBackground() ? startBackground(name, part) : start(name, part));
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// An executor with one virtual thread for each task, for libraries that ask for one.
  public static ExecutorService executor(String name) {
    return Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name(name + "-", 0).factory());
  }
}
