package fairgate.platform.lock;

import fairgate.kernel.ServiceUnavailable;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Gives up waiting for calls that take too long. All have the same budget, so they are over in the
/// order they began, and one timer for all does what a timer per call would cost a fifth of the
/// lock's speed for. A call is given up between one and one and a fifth budgets after it began.
final class CallBudget {
  private static final int LOOKS = 5;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final long budgetNanos;
  private final Queue<Call<?>> calls = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean watching = new AtomicBoolean();

  CallBudget(Vertx vertx, Duration budget) {
    this.vertx = vertx;
    this.budgetNanos = budget.toNanos();
  }

  /// @param home where the caller wants to be told
  private record Call<T>(Promise<T> promise, long since, @Nullable Context home) {
    void giveUp() {
      if (home == null) {
        fail();
      } else if (!promise.future().isComplete()) {
        home.runOnContext(_ -> fail());
      }
    }

    private void fail() {
      var _ = promise.tryFail(new ServiceUnavailable("redis is too slow", RETRY_AFTER));
    }
  }

  /// The call's result, or `ServiceUnavailable` when it does not come in time.
  <T> Future<T> within(Future<T> call) {
    if (call.isComplete()) {
      return call;
    }
    Promise<T> promise = Promise.promise();
    call.onComplete(
        done -> {
          if (done.succeeded()) {
            var _ = promise.tryComplete(done.result());
          } else {
            var _ = promise.tryFail(done.cause());
          }
        });
    calls.add(new Call<>(promise, System.nanoTime(), Vertx.currentContext()));
    if (!watching.get() && watching.compareAndSet(false, true)) {
      watch();
    }
    return promise.future();
  }

  private void watch() {
    vertx.setTimer(Math.max(1, budgetNanos / LOOKS / 1_000_000), _ -> look());
  }

  private void look() {
    long now = System.nanoTime();
    for (Call<?> call = calls.peek(); call != null; call = calls.peek()) {
      if (!call.promise().future().isComplete()) {
        if (now - call.since() < budgetNanos) {
          break;
        }
        call.giveUp();
      }
      var _ = calls.poll();
    }
    if (!calls.isEmpty()) {
      watch();
      return;
    }
    watching.set(false);
    if (!calls.isEmpty() && watching.compareAndSet(false, true)) {
      watch();
    }
  }
}
