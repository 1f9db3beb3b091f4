package fairgate.sale.webhook;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// `/api/admin/webhooks`: the messages about orders, newest first, their repetition, and a test
/// message.
final class WebhookAdmin {
  private final OrderMessages messages;
  private final Ids ids;

  WebhookAdmin(OrderMessages messages, Ids ids) {
    this.messages = messages;
    this.ids = ids;
  }

  private enum State {
    DUE,
    DONE,
    FAILED;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/webhooks",
                admin.guard(AdminInput.query("state", "after", "limit"), this::list))
            .roles(SUPPORT, SELLER),
        Route.blockingPost("/api/admin/webhooks/test", admin.guard(this::test)).roles(SELLER),
        Route.blockingPost("/api/admin/webhooks/{id}/resend", admin.guard(this::resend))
            .roles(SUPPORT, SELLER));
  }

  private Reply list(Request request) {
    State state = AdminQuery.word(request, "state", State.values(), State::word);
    int limit = AdminQuery.limit(request);
    List<OrderMessages.Sent> page =
        messages.page(state == null ? null : state.word(), after(request), limit);
    JsonText rows = JsonText.array();
    for (OrderMessages.Sent message : page) {
      rows = rows.add(message.json());
    }
    JsonText body = JsonText.object().put("webhooks", rows);
    if (page.size() == limit) {
      OrderMessages.Cursor last = page.getLast().cursor();
      body = body.put("after", last.micros() + "." + last.id());
    }
    return Reply.json(200, body.bytes());
  }

  private static OrderMessages.@Nullable Cursor after(Request request) {
    String text = request.query("after");
    if (text == null) {
      return null;
    }
    if (!text.matches("[0-9]{1,16}[.][A-Za-z0-9_-]{1,100}")) {
      throw new InvalidRequest("after", "bad_format");
    }
    int dot = text.indexOf('.');
    return new OrderMessages.Cursor(
        Long.parseLong(text.substring(0, dot)), text.substring(dot + 1));
  }

  private Reply test(Request request) {
    return messages
        .test("test_" + ids.nonce())
        .map(WebhookAdmin::sent)
        .orElseThrow(() -> new InvalidRequest("webhooks.url", "missing"));
  }

  private Reply resend(Request request) {
    return messages
        .resend(List.of(request.pathParam("id")))
        .map(WebhookAdmin::sent)
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private static Reply sent(String id) {
    return Reply.json(200, JsonText.object().put("success", true).put("message_id", id).bytes());
  }
}
