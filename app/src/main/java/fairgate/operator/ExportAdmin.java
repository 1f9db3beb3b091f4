package fairgate.operator;

import static fairgate.kernel.Role.SELLER;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.stream.ResponseBodyStream;
import fairgate.platform.json.JsonText;
import fairgate.platform.lock.LockLease;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.lock.ProcessingLock.LockOutcome;
import fairgate.redeem.transfer.ExportService;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Exports of codes for operators: masked by default; in full with a reason, which the audit log
/// keeps.
final class ExportAdmin {
  private static final int LONGEST_REASON = 200;
  private static final int NEWEST = 100;
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final List<String> STATES =
      List.of("available", "assigned", "activated", "expired", "revoked", "replaced");

  private final ExportService exports;
  private final Lock lock;

  ExportAdmin(ExportService exports, Lock lock) {
    this.exports = exports;
    this.lock = lock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/redeem/export",
                admin.guard(AdminInput.query("product_id", "state"), this::masked))
            .roles(SELLER)
            .withDeadline(LONGEST),
        Route.blockingPost(
                "/api/admin/redeem/export",
                admin.guard(AdminInput.body("full", "reason", "product_id", "state"), this::full))
            .roles(SELLER)
            .withDeadline(LONGEST),
        Route.blockingGet("/api/admin/redeem/exports", admin.guard(this::list)).roles(SELLER));
  }

  private Reply masked(Request request) {
    ExportService.ExportFilter filter = filter(request.query("product_id"), request.query("state"));
    String actor = AdminGuard.actor(request);
    return lock.file(request, "codes-masked.csv", out -> exports.writeMasked(filter, actor, out));
  }

  private Reply full(Request request) {
    JsonBody body = request.json();
    if (!body.flag("full")) {
      throw body.problem("full", "not_one_of", "true");
    }
    String reason = AdminInput.reason(body, LONGEST_REASON);
    ExportService.ExportFilter filter =
        filter(body.optionalText("product_id"), body.optionalText("state"));
    String actor = AdminGuard.actor(request);
    return lock.file(
        request, "codes-full.csv", out -> exports.writeFull(filter, actor, reason, out));
  }

  private Reply list(Request request) {
    JsonText all = JsonText.array();
    for (ExportService.ExportRecord record : exports.newest(NEWEST)) {
      all =
          all.add(
              JsonText.object()
                  .put("actor", record.actor())
                  .put("masked", record.masked())
                  .put("reason", record.reason())
                  .put("filter", record.filter())
                  .put("begun_at", record.begunAt())
                  .put("finished_at", record.finishedAt().isEmpty() ? null : record.finishedAt())
                  .putAny("codes", record.codes()));
    }
    return Reply.json(200, JsonText.object().put("exports", all).bytes());
  }

  private static ExportService.ExportFilter filter(
      @Nullable String product, @Nullable String state) {
    if (state != null && !STATES.contains(state)) {
      throw new InvalidRequest("state", "not_one_of", String.join(", ", STATES));
    }
    return new ExportService.ExportFilter(
        product == null ? "" : product, state == null ? "" : state);
  }

  /// Allows one export at a time per operator on all nodes: a second click must not decrypt all
  /// codes again. For virtual threads.
  static final class Lock {
    static final String KEY = "processing:export:";

    private static final Duration BUSY = Duration.ofSeconds(5);

    private final ProcessingLock lock;

    Lock(ProcessingLock lock) {
      this.lock = lock;
    }

    /// Streams the file, or refuses with 503 while the operator's previous export is in progress.
    Reply file(Request request, String name, ResponseBodyStream.Writer body) {
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
}
