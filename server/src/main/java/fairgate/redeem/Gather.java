package fairgate.redeem;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Micro-batching for threads that wait: what gathers while earlier batches are under way goes to
/// the database in one statement, so batches grow with the load and an idle server adds no wait.
///
/// @param <I> what is asked
/// @param <O> what comes back; one for each, in their order
final class Gather<I, O> {
  private static final int MOST_WAITING = 20_000;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(8);

  private final String name;
  private final int mostItems;
  private final int atOnce;
  private final Work<I, O> work;
  private final Deque<Waiting<I, O>> waiting = new ArrayDeque<>();
  private int running;

  /// What a batch does. Runs on a virtual thread and may block.
  @FunctionalInterface
  interface Work<I, O> {
    List<O> run(List<I> items);
  }

  private record Waiting<I, O>(I item, CompletableFuture<O> answer) {}

  /// @param mostItems of one batch
  /// @param atOnce batches under way at the same time
  Gather(String name, int mostItems, int atOnce, Work<I, O> work) {
    this.name = name;
    this.mostItems = mostItems;
    this.atOnce = atOnce;
    this.work = work;
  }

  /// Waits for the item's answer. Throws what its batch threw, and ServiceUnavailable when there
  /// are too many waiting or it takes too long.
  O call(I item) {
    CompletableFuture<O> answer = new CompletableFuture<>();
    synchronized (this) {
      if (waiting.size() >= MOST_WAITING) {
        throw new ServiceUnavailable(name + " has too many waiting", RETRY_AFTER);
      }
      waiting.add(new Waiting<>(item, answer));
      if (running < atOnce) {
        running++;
        Thread _ = Thread.ofVirtual().name(name).start(this::drain);
      }
    }
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new ServiceUnavailable(name + " is too slow", RETRY_AFTER);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable(name + " was interrupted", RETRY_AFTER);
    }
  }

  /// How many wait for a batch.
  synchronized int waiting() {
    return waiting.size();
  }

  private void drain() {
    List<Waiting<I, O>> batch = next();
    while (!batch.isEmpty()) {
      run(batch);
      batch = next();
    }
  }

  private synchronized List<Waiting<I, O>> next() {
    List<Waiting<I, O>> batch = new ArrayList<>(Math.min(mostItems, waiting.size()));
    while (batch.size() < mostItems && !waiting.isEmpty()) {
      batch.add(waiting.remove());
    }
    if (batch.isEmpty()) {
      running--;
    }
    return batch;
  }

  private void run(List<Waiting<I, O>> batch) {
    try {
      List<O> answers = work.run(batch.stream().map(Waiting::item).toList());
      for (int i = 0; i < batch.size(); i++) {
        boolean _ = batch.get(i).answer().complete(answers.get(i));
      }
    } catch (RuntimeException e) {
      batch.forEach(one -> one.answer().completeExceptionally(e));
    }
  }
}
