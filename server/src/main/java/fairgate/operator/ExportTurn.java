package fairgate.operator;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.stream.Outflow;
import fairgate.platform.lock.LockLease;
import fairgate.platform.lock.LockOutcome;
import fairgate.platform.lock.ProcessingLock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.OutputStream;
import java.time.Duration;

/// One export of an operator at a time, on all nodes together: a second click must not have all
/// codes opened twice. For virtual threads.
final class ExportTurn {
  static final String KEY = "processing:export:";

  private static final Duration BUSY = Duration.ofSeconds(5);

  private final ProcessingLock lock;

  ExportTurn(ProcessingLock lock) {
    this.lock = lock;
  }

  /// The file as it goes out; a refusal (503) while the operator's last one still does.
  Reply file(Request request, String name, Outflow.Writer body) {
    return switch (lock.tryAcquireLock(KEY + OperatorToken.actor(request)).await()) {
      case LockOutcome.Busy _ ->
          Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(BUSY));
      case LockOutcome.Acquired(LockLease lease) ->
          Reply.stream(200, "text/csv; charset=utf-8", locked(lease, body))
              .header("content-disposition", "attachment; filename=\"" + name + "\"");
    };
  }

  /// Gives the lock back before the last piece goes out: who has the whole file may ask for the
  /// next.
  private Outflow.Writer locked(LockLease lease, Outflow.Writer body) {
    Promise<Void> written = Promise.promise();
    Future<Void> released = lock.whileLocked(lease, written::future);
    return (OutputStream out) -> {
      try {
        body.writeTo(out);
      } finally {
        written.complete();
        Void _ = released.await();
      }
    };
  }
}
