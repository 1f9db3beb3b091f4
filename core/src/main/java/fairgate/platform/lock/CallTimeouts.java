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

/// Fails calls that exceed the time budget. All calls have the same budget, so they expire in the
/// order of their start, and one timer serves all; a timer per call would cost a fifth of the
/// lock's speed. A call fails between 1.0 and 1.2 budgets after its start.
final class CallTimeouts {
  private static final int CHECKS_PER_BUDGET = 5;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final long budgetNanos;
  private final Queue<PendingCall<?>> calls = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  CallTimeouts(Vertx vertx, Duration budget) {
    this.vertx = vertx;
    this.budgetNanos = budget.toNanos();
  }

  /// @param context the context on which the caller's future completes; null for any
  private record PendingCall<T>(Promise<T> promise, long startedAt, @Nullable Context context) {
    void expire() {
      if (context == null) {
        fail();
      } else if (!promise.future().isComplete()) {
        context.runOnContext(_ -> fail());
      }
    }

    private void fail() {
      var _ = promise.tryFail(new ServiceUnavailable("redis did not answer in time", RETRY_AFTER));
    }
  }

  /// The result of the call; `ServiceUnavailable` after a timeout.
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
    calls.add(new PendingCall<>(promise, System.nanoTime(), Vertx.currentContext()));
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      schedule();
    }
    return promise.future();
  }

  private void schedule() {
    vertx.setTimer(Math.max(1, budgetNanos / CHECKS_PER_BUDGET / 1_000_000), _ -> check());
  }

  private void check() {
    long now = System.nanoTime();
    for (PendingCall<?> call = calls.peek(); call != null; call = calls.peek()) {
      if (!call.promise().future().isComplete()) {
        if (now - call.startedAt() < budgetNanos) {
          break;
        }
        call.expire();
      }
      var _ = calls.poll();
    }
    if (!calls.isEmpty()) {
      schedule();
      return;
    }
    scheduled.set(false);
    if (!calls.isEmpty() && scheduled.compareAndSet(false, true)) {
      schedule();
    }
  }
}
