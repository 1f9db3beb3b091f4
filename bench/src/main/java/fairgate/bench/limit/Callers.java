package fairgate.bench.limit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/// Threads that each ask again as soon as they have an answer.
final class Callers {
  private static final int SAMPLES = 100_000;
  private static final int EACH = 7;

  /// The results.
  ///
  /// @param calls all replies
  /// @param sorted durations of a sample of the replies, nanoseconds, ascending
  record Run(long calls, long granted, double seconds, List<Long> sorted) {
    double perSecond() {
      return calls / seconds;
    }

    /// The percentile of the durations, in microseconds.
    double micros(double part) {
      return sorted.isEmpty()
          ? 0
          : sorted.get((int) Math.min(sorted.size() - 1, part * sorted.size())) / 1e3;
    }
  }

  private static final class Caller implements Runnable {
    private final BooleanSupplier[] asks;
    private final CountDownLatch go;
    private final long nanos;
    private final long pause;
    private final long[] times = new long[SAMPLES];
    private int samples;
    private long calls;
    private long granted;

    Caller(BooleanSupplier[] asks, CountDownLatch go, long nanos, long pause) {
      this.asks = asks;
      this.go = go;
      this.nanos = nanos;
      this.pause = pause;
    }

    @Override
    public void run() {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      long end = System.nanoTime() + nanos;
      int next = 0;
      long now;
      do {
        for (int i = 0; i < EACH - 1; i++) {
          ask(next);
          next = next + 1 == asks.length ? 0 : next + 1;
        }
        long before = System.nanoTime();
        ask(next);
        now = System.nanoTime();
        calls += EACH;
        if (samples < SAMPLES) {
          times[samples++] = now - before;
        }
      } while (now < end);
    }

    private void ask(int which) {
      if (asks[which].getAsBoolean()) {
        granted++;
      } else if (pause > 0) {
        LockSupport.parkNanos(pause);
      }
    }
  }

  private Callers() {}

  /// Runs threads that call for some seconds.
  ///
  /// @param pause after a refusal, nanoseconds
  /// @param asks the calls of each thread, in turn
  static Run run(int threads, double seconds, long pause, IntFunction<BooleanSupplier[]> asks)
      throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    List<Caller> callers = new ArrayList<>();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Caller caller = new Caller(asks.apply(i), go, (long) (seconds * 1e9), pause);
      callers.add(caller);
      running.add(Thread.ofPlatform().start(caller));
    }
    long start = System.nanoTime();
    go.countDown();
    for (Thread one : running) {
      one.join();
    }
    double took = (System.nanoTime() - start) / 1e9;
    return new Run(
        callers.stream().mapToLong(caller -> caller.calls).sum(),
        callers.stream().mapToLong(caller -> caller.granted).sum(),
        took,
        callers.stream()
            .flatMap(caller -> Arrays.stream(caller.times, 0, caller.samples).boxed())
            .sorted()
            .toList());
  }
}
