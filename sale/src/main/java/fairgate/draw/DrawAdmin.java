package fairgate.draw;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.VIEWER;

import fairgate.draw.DrawService.Creation;
import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import java.util.List;
import java.util.Optional;

/// `/api/admin/draws`: the draws of sales. Every method blocks.
record DrawAdmin(Draws draws, DrawService service) {
  private static final String ONE = "/api/admin/draws/{id}";
  private static final String WORD = "[a-z][a-z0-9_]{0,31}";
  private static final AdminInput RULES = AdminInput.body(RulesDraft.FIELDS.toArray(String[]::new));

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/draws", admin.guard(AdminInput.query("after", "limit"), this::list))
            .roles(VIEWER),
        Route.blockingPost("/api/admin/draws", admin.guard(RULES, this::create)).roles(SELLER),
        Route.blockingGet(ONE, admin.guard(this::one)).roles(VIEWER),
        Route.blockingPost(ONE + "/abort", admin.guard(AdminInput.body("reason"), this::abort))
            .roles(SELLER)
            .withReason(true),
        Route.blockingPost(
                ONE + "/exclusions", admin.guard(AdminInput.body("index", "reason"), this::exclude))
            .roles(SELLER)
            .withReason(true));
  }

  private Reply list(Request request) {
    return Reply.json(200, DrawList.page(draws, request).bytes());
  }

  private Reply create(Request request) {
    return switch (service.create(request.json(), AdminGuard.actor(request))) {
      case Creation.Created(Draw draw) -> Reply.json(200, json(draw));
      case Creation.NoSuchProduct() -> refuse(ErrorCode.PRODUCT_NOT_FOUND);
      case Creation.Taken() -> refuse(ErrorCode.DRAW_EXISTS);
      case Creation.TooMany() -> refuse(ErrorCode.TOO_MANY_DRAWS);
    };
  }

  private Reply one(Request request) {
    return find(request)
        .map(draw -> Reply.json(200, json(draw)))
        .orElseGet(() -> refuse(ErrorCode.DRAW_NOT_FOUND));
  }

  private byte[] json(Draw draw) {
    return DrawJson.full(draw, draws.now()).bytes();
  }

  /// Ends the draw; the reason becomes a leaf of the public log.
  private Reply abort(Request request) {
    String reason = word(request.json());
    Draw draw = find(request).orElse(null);
    if (draw == null) {
      return refuse(ErrorCode.DRAW_NOT_FOUND);
    }
    return switch (service.abort(draw, reason)) {
      case DONE -> Reply.noContent();
      case OVER -> conflict(draw);
      case DUE -> refuse(ErrorCode.DRAW_DUE);
    };
  }

  /// Excludes an entry before the seal; the reason becomes a leaf of the public log.
  private Reply exclude(Request request) {
    JsonBody body = request.json();
    long index = body.longInteger("index", 0, Integer.MAX_VALUE);
    String reason = word(body);
    Draw draw = find(request).orElse(null);
    if (draw == null) {
      return refuse(ErrorCode.DRAW_NOT_FOUND);
    }
    return switch (service.exclude(draw, index, reason, AdminGuard.actor(request))) {
      case DONE, ABSENT_BEFORE -> Reply.noContent();
      case NO_SUCH_ENTRY -> refuse(ErrorCode.ENTRY_NOT_FOUND);
      case NOT_OPEN -> conflict(draw);
    };
  }

  private static String word(JsonBody body) {
    String reason = body.text("reason");
    if (!reason.matches(WORD)) {
      throw body.problem("reason", "not_word");
    }
    return reason;
  }

  private Optional<Draw> find(Request request) {
    return draws.findOrReload(request.pathParam("id"));
  }

  private static Reply conflict(Draw draw) {
    return Reply.refuse(
        Refusal.of(ErrorCode.DRAW_STATE_CONFLICT).with("state", draw.state().word()));
  }

  private static Reply refuse(ErrorCode code) {
    return Reply.refuse(Refusal.of(code));
  }
}
