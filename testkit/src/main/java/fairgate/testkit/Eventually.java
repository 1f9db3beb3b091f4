package fairgate.testkit;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/// Waits for conditions. The bound is far beyond what a busy machine needs: only a condition that
/// never comes true uses it up.
public final class Eventually {
  private static final Duration BOUND = Duration.ofMinutes(2);

  /// Every pause is a half longer than the one before, because questions cost the processor time
  /// that the answer needs.
  private static final long FIRST_PAUSE_MS = 4;

  private static final long LONGEST_PAUSE_MS = 50;

  private Eventually() {}

  /// A condition. An exception ends the wait at once.
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /// Waits until the condition is true; fails after two minutes.
  public static void await(Condition condition) {
    await("the condition", condition);
  }

  /// Waits until the condition is true; fails after two minutes.
  ///
  /// @param what names the condition in the failure
  public static void await(String what, Condition condition) {
    boolean _ = get(what, condition::holds, holds -> holds);
  }

  /// Calls the question until its answer is as wanted, and returns the answer; fails after two
  /// minutes with the last answer.
  ///
  /// @param what names the wanted answer in the failure
  public static <T> T get(String what, Callable<T> question, Predicate<T> wanted) {
    T first = call(question);
    return wanted.test(first)
        ? first
        : TestTimes.spent(TestTimes.Kind.WAITING, () -> repeat(what, question, wanted));
  }

  private static <T> T repeat(String what, Callable<T> question, Predicate<T> wanted) {
    long start = System.nanoTime();
    long pause = FIRST_PAUSE_MS;
    while (true) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pause));
      pause = Math.min(pause * 3 / 2, LONGEST_PAUSE_MS);
      T answer = call(question);
      if (wanted.test(answer)) {
        return answer;
      }
      if (System.nanoTime() - start > BOUND.toNanos()) {
        throw new AssertionError(
            "not within %d s: %s; last: %s".formatted(BOUND.toSeconds(), what, text(answer)));
      }
    }
  }

  private static <T> T call(Callable<T> question) {
    try {
      return question.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String text(Object answer) {
    return answer instanceof HttpResponse<?> response
        ? response.statusCode() + " " + response.body()
        : answer.toString();
  }
}
