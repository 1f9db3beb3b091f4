package fairgate.gate.signal;

import static fairgate.kernel.Role.SUPPORT;

import fairgate.gate.signal.HotClients.By;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.util.List;

/// `/api/admin/hot-clients`: the addresses, browsers and fingerprints with the most refused
/// requests on this node. Addresses have a keyed hash as name. Their real values are shown by an
/// action with a reason, which is in the audit log before the reply.
final class HotClientAdmin {
  private static final int LONGEST_REASON = 500;
  private static final int MOST = 100;
  private static final int DEFAULT_LIMIT = 20;

  private final HotClients clients;

  HotClientAdmin(HotClients clients) {
    this.clients = clients;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/hot-clients", admin.guard(AdminInput.query("by", "limit"), this::list))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/hot-clients/reveal",
                admin.guard(AdminInput.body("by", "limit", "reason"), this::reveal))
            .roles(SUPPORT));
  }

  private Reply list(Request request) {
    By by = AdminQuery.word(request, "by", By.values(), By::word);
    int limit = (int) AdminQuery.number(request, "limit", 1, MOST, DEFAULT_LIMIT);
    return reply(by == null ? By.ADDRESS : by, limit, false);
  }

  /// The recorder of actions has written the reason to the audit log.
  private Reply reveal(Request request) {
    JsonBody body = request.json();
    String _ = AdminInput.reason(body, LONGEST_REASON);
    String word = body.optionalText("by");
    By by = word == null ? By.ADDRESS : AdminQuery.word("by", word, By.values(), By::word);
    int limit = (int) body.optionalLongInteger("limit", 1, MOST, DEFAULT_LIMIT);
    return reply(by, limit, true).header("cache-control", "no-store");
  }

  private Reply reply(By by, int limit, boolean revealed) {
    JsonText list = JsonText.array();
    for (HotClients.Hot hot : clients.top(by, limit)) {
      JsonText one = JsonText.object().put("name", hot.name()).put("failures", hot.failures());
      list.add(revealed && by == By.ADDRESS ? one.put("address", hot.value()) : one);
    }
    return Reply.json(200, JsonText.object().put("by", by.word()).put("clients", list).bytes());
  }
}
