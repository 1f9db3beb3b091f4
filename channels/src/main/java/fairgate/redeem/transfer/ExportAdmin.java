package fairgate.redeem.transfer;

import static fairgate.kernel.Role.SELLER;

import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Exports of codes for operators: masked by default; in full with a reason, which the audit log
/// keeps.
record ExportAdmin(ExportService exports, ExportLock lock) {
  private static final int LONGEST_REASON = 200;
  private static final int NEWEST = 100;
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final List<String> STATES =
      List.of("available", "assigned", "activated", "expired", "revoked", "replaced");

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
}
