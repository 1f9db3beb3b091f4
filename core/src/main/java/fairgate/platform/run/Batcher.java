package fairgate.platform.run;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/// Combines calls of many callers into batches (micro-batching), for work that costs about the same
/// for one item as for many, such as an SQL statement.
///
/// A call is sent at once while fewer than `maxConcurrentBatches` batches are in flight. Later
/// calls join the next batch, so batches grow with the load, and an idle server adds no delay. At
/// most 20,000 calls are pending. Scripts in Redis have a batcher of their own, `ScriptBatcher`.
/// Safe for use by any thread.
///
/// @param <I> the item of a call
/// @param <O> its result
public final class Batcher<I, O> {
  private static final int MAX_PENDING = 20_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(8);

  private final String name;
  private final int maxBatchSize;
  private final int maxConcurrentBatches;
  private final Function<List<I>, Future<List<O>>> work;
  private final Queue<PendingCall<I, O>> pending = new ArrayDeque<>();
  private int inFlight;

  private record PendingCall<I, O>(I item, Promise<O> promise) {}

  /// Creates a batcher for work that does not block.
  ///
  /// @param name used in exception messages
  /// @param maxBatchSize the number of items per batch
  /// @param maxConcurrentBatches the number of batches in flight at the same time
  /// @param work processes a batch; returns one result per item, in the order of the items
  public Batcher(
      String name,
      int maxBatchSize,
      int maxConcurrentBatches,
      Function<List<I>, Future<List<O>>> work) {
    this.name = name;
    this.maxBatchSize = maxBatchSize;
    this.maxConcurrentBatches = maxConcurrentBatches;
    this.work = work;
  }

  /// Creates a batcher for work that blocks. Each batch runs on a virtual thread.
  ///
  /// @param work processes a batch; returns one result per item, in the order of the items
  public static <I, O> Batcher<I, O> blocking(
      String name, int maxBatchSize, int maxConcurrentBatches, Function<List<I>, List<O>> work) {
    return new Batcher<>(
        name,
        maxBatchSize,
        maxConcurrentBatches,
        items -> BlockingWork.call(name, () -> work.apply(items)));
  }

  /// Adds a call to the next batch. The future fails with the exception of its batch, and with
  /// ServiceUnavailable when too many calls are pending. It completes on the thread that completes
  /// the batch.
  public Future<O> submit(I item) {
    PendingCall<I, O> call = new PendingCall<>(item, Promise.promise());
    synchronized (this) {
      if (pending.size() >= MAX_PENDING) {
        return Future.failedFuture(
            new ServiceUnavailable(name + " has too many pending calls", RETRY_AFTER));
      }
      pending.add(call);
    }
    sendNext();
    return call.promise().future();
  }

  /// Adds a call to the next batch and waits for its result, for at most 8 s. Blocks: for virtual
  /// threads. Throws the exception of its batch, and ServiceUnavailable when too many calls are
  /// pending or the result is late; the item may be processed nevertheless.
  public O call(I item) {
    try {
      return submit(item)
          .toCompletionStage()
          .toCompletableFuture()
          .get(CALL_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new ServiceUnavailable(name + " did not complete in time", RETRY_AFTER);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable(name + " was interrupted", RETRY_AFTER);
    }
  }

  /// The number of calls that are in no batch yet.
  synchronized int pendingCalls() {
    return pending.size();
  }

  private void sendNext() {
    List<PendingCall<I, O>> batch = nextBatch();
    if (batch.isEmpty()) {
      return;
    }
    Future<List<O>> results;
    try {
      results = work.apply(batch.stream().map(PendingCall::item).toList());
    } catch (RuntimeException e) {
      results = Future.failedFuture(e);
    }
    results.onComplete(
        result -> {
          synchronized (this) {
            inFlight--;
          }
          sendNext();
          settle(batch, result);
        });
  }

  private synchronized List<PendingCall<I, O>> nextBatch() {
    if (inFlight >= maxConcurrentBatches || pending.isEmpty()) {
      return List.of();
    }
    inFlight++;
    int size = Math.min(maxBatchSize, pending.size());
    List<PendingCall<I, O>> batch = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      batch.add(pending.remove());
    }
    return batch;
  }

  private void settle(List<PendingCall<I, O>> batch, AsyncResult<List<O>> result) {
    if (result.failed()) {
      batch.forEach(call -> call.promise().fail(result.cause()));
      return;
    }
    if (result.result().size() != batch.size()) {
      batch.forEach(call -> call.promise().fail(name + " returned a wrong number of results"));
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      batch.get(i).promise().complete(result.result().get(i));
    }
  }
}
