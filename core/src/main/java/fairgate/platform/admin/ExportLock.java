package fairgate.platform.admin;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.stream.ResponseBodyStream;
import fairgate.platform.lock.LockLease;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.OutputStream;
import java.time.Duration;

/// Allows one export at a time per operator on all nodes: a second click must not decrypt all codes
/// again. For virtual threads.
public record ExportLock(ProcessingLock lock) {
  public static final String KEY = "processing:export:";

  private static final Duration BUSY = Duration.ofSeconds(5);

  /// Streams the file, or refuses with 503 while the operator's previous export is in progress.
  public Reply file(Request request, String name, ResponseBodyStream.Writer body) {
    return switch (lock.tryAcquireLock(KEY + AdminGuard.actor(request)).await()) {
      case LockOutcome.Busy _ ->
          Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(BUSY));
      case LockOutcome.Acquired(LockLease lease) ->
          Reply.stream(200, "text/csv; charset=utf-8", locked(lease, body))
              .header("content-disposition", "attachment; filename=\"" + name + "\"");
    };
  }

  /// Releases the lock before the last part is sent, so the next export may start as soon as the
  /// file has arrived.
  private ResponseBodyStream.Writer locked(LockLease lease, ResponseBodyStream.Writer body) {
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
