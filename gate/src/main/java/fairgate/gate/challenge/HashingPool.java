package fairgate.gate.challenge;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// A small thread pool with a short queue for work that is too long for an event loop. Work beyond
/// the queue is refused at once instead of being late.
public final class HashingPool implements AutoCloseable {
  private static final int WAITING = 256;
  private static final int IDLE_SECONDS = 30;

  private final Vertx vertx;
  private final ThreadPoolExecutor threads;

  /// @param name of its threads
  public HashingPool(Vertx vertx, String name) {
    this.vertx = vertx;
    int size = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    this.threads =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            Thread.ofPlatform().daemon().name(name + "-", 0).factory());
    threads.allowCoreThreadTimeOut(true);
  }

  /// Runs the work on a pool thread and completes the future on the caller's context.
  public <T> Future<T> run(Supplier<T> work, T whenFull) {
    try {
      return Future.fromCompletionStage(
          CompletableFuture.supplyAsync(work, threads), vertx.getOrCreateContext());
    } catch (RejectedExecutionException e) {
      return Future.succeededFuture(whenFull);
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
