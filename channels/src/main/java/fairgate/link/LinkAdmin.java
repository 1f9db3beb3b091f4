package fairgate.link;

import static fairgate.kernel.Role.SELLER;

import fairgate.kernel.ErrorCode;
import fairgate.link.LinkService.LinkOutcome;
import fairgate.link.code.TargetUrl;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// `/api/admin/links`: links and hosts that are banned, on every node within a second.
record LinkAdmin(LinkService links) {
  private static final int LONGEST_REASON = 500;

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingPost(
                "/api/admin/links/{code}/ban", admin.guard(AdminInput.body("reason"), this::ban))
            .roles(SELLER)
            .withReason(true),
        Route.blockingPost("/api/admin/links/{code}/unban", admin.guard(this::lift)).roles(SELLER),
        Route.blockingGet("/api/admin/links/hosts", admin.guard(this::hosts)).roles(SELLER),
        Route.blockingPost(
                "/api/admin/links/hosts",
                admin.guard(AdminInput.body("host", "reason"), this::banHost))
            .roles(SELLER)
            .withReason(true),
        Route.blockingDelete("/api/admin/links/hosts/{host}", admin.guard(this::liftHost))
            .roles(SELLER));
  }

  private Reply ban(Request request) {
    return done(request, AdminInput.reason(request.json(), LONGEST_REASON));
  }

  private Reply lift(Request request) {
    return done(request, null);
  }

  private Reply done(Request request, @Nullable String reason) {
    String code = request.pathParam("code").toLowerCase(Locale.ROOT);
    return switch (links.ban(code, reason)) {
      case LinkOutcome.Done done ->
          Reply.json(
              200,
              JsonText.object()
                  .put("code", done.link().entry().code())
                  .put("url", done.link().entry().url())
                  .put("banned", reason != null)
                  .bytes());
      case LinkOutcome.NotFound _,
          LinkOutcome.CodeTaken _,
          LinkOutcome.TooMany _,
          LinkOutcome.HostBlocked _ ->
          Reply.refuse(Refusal.of(ErrorCode.LINK_NOT_FOUND));
    };
  }

  private Reply hosts(Request request) {
    JsonText all = JsonText.array();
    for (LinkService.BannedHost host : links.bannedHosts()) {
      all.add(
          JsonText.object()
              .put("host", host.host())
              .put("reason", host.reason())
              .put("actor", host.actor())
              .put("at", host.at().toString()));
    }
    return Reply.json(200, JsonText.object().put("hosts", all).bytes());
  }

  private Reply banHost(Request request) {
    String host = host("host", request.json().text("host", 1, 253));
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    links.banHost(host, reason, AdminGuard.actor(request), true);
    return Reply.json(200, JsonText.object().put("host", host).put("banned", true).bytes());
  }

  private Reply liftHost(Request request) {
    String host = host("host", request.pathParam("host"));
    links.banHost(host, "", AdminGuard.actor(request), false);
    return Reply.json(200, JsonText.object().put("host", host).put("banned", false).bytes());
  }

  /// The host in the normal form of links.
  private static String host(String field, String given) {
    return TargetUrl.readHost(given).orElseThrow(() -> new InvalidRequest(field, "link_host"));
  }
}
