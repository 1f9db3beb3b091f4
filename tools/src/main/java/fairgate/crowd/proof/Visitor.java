package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.Cookies;
import fairgate.crowd.CrowdClient;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// One browser: its cookies, and calls that wait for their answer and are kept in the journal. For
/// virtual threads. A call without an answer has the status 0.
final class Visitor {
  private static final long TIMEOUT_MS = 4_000;

  /// Shorter than any presence timeout of a proof: a browser that gets no answer asks again.
  private static final long LOOK_TIMEOUT_MS = 1_000;

  private static final byte[] NO_BODY = new byte[0];

  private static final List<String> OF_A_LOOK =
      List.of(
          "error",
          "queue_status",
          "queue_position_waiting",
          "queue_position_active",
          "ended",
          "order_id");

  private final CrowdClient http;
  private final Journal journal;
  private final String name;
  private final Cookies cookies = new Cookies();

  Visitor(CrowdClient http, Journal journal, String name) {
    this.http = http;
    this.journal = journal;
    this.name = name;
  }

  /// One purchase as it is sent.
  record PurchaseIntent(SaleTerms sale, String session, int quantity, String token, String key) {}

  Answer join(int port, SaleTerms sale) {
    ObjectNode body = of(sale).put("turnstile_token", CrowdClient.TEST_TOKEN);
    RecordedCall like = RecordedCall.about(CallType.JOIN, sale.product(), "", "");
    return post(port, "/api/queue/join", Map.of(), text(body), like);
  }

  /// The open deposit of this browser.
  Answer deposit(int port, SaleTerms sale) {
    RecordedCall like = RecordedCall.about(CallType.DEPOSIT, sale.product(), "", "");
    return post(port, "/api/deposits", Map.of(), text(of(sale)), like);
  }

  Answer status(int port, SaleTerms sale, String session) {
    RecordedCall like = RecordedCall.about(CallType.STATUS, sale.product(), session, "");
    return send(HttpMethod.GET, port, "/api/queue/status", in(session), NO_BODY, like);
  }

  Answer leave(int port, SaleTerms sale, String session) {
    RecordedCall like = RecordedCall.about(CallType.LEAVE, sale.product(), session, "");
    return post(port, "/api/queue/leave", in(session), NO_BODY, like);
  }

  /// Registers on the waiting list, for one unit, in exchange for the place of the session.
  Answer register(int port, SaleTerms sale, String session) {
    Map<String, String> form =
        Map.of(
            "X-Session-Id",
            session,
            "Sec-Fetch-Site",
            "same-origin",
            "Accept",
            "application/json",
            "Content-Type",
            "application/x-www-form-urlencoded");
    byte[] body = Buffer.buffer("quantity=1").getBytes();
    String path = "/p/" + sale.product() + "/waiting-list";
    return post(
        port, path, form, body, RecordedCall.about(CallType.REGISTER, sale.product(), session, ""));
  }

  Answer purchase(int port, PurchaseIntent want) {
    ObjectNode body = of(want.sale()).put("quantity", want.quantity());
    if (!want.token().isEmpty()) {
      body.put("purchase_token", want.token());
    }
    journal.sending(want.key());
    RecordedCall like =
        new RecordedCall(
            CallType.PURCHASE,
            name,
            want.sale().product(),
            want.session(),
            want.key(),
            want.token(),
            want.quantity(),
            0,
            0,
            CrowdClient.NO_ANSWER);
    Map<String, String> headers =
        Map.of("X-Session-Id", want.session(), "Idempotency-Key", want.key());
    return post(port, "/api/purchase", headers, text(body), like);
  }

  /// Claims the code of an order, in the name of this browser.
  Answer claim(int port, SaleTerms sale, String order) {
    ObjectNode body = of(sale).put("order_id", order).put("device_id", name);
    RecordedCall like = RecordedCall.about(CallType.CLAIM, sale.product(), "", order);
    return post(port, "/api/redeem/claim", Map.of(), text(body), like);
  }

  /// Another person, with another browser.
  Visitor stranger() {
    return new Visitor(http, journal, name + ".stranger");
  }

  Answer cancel(int port, SaleTerms sale, String session, String order) {
    RecordedCall like = RecordedCall.about(CallType.CANCEL, sale.product(), session, order);
    return post(port, "/api/orders/" + order + "/cancel", in(session), NO_BODY, like);
  }

  /// Any other POST, recorded as given by `like`.
  Answer post(int port, String path, Map<String, String> headers, byte[] body, RecordedCall like) {
    return send(HttpMethod.POST, port, path, headers, body, like);
  }

  /// Any other call, recorded as given by `like`.
  ///
  /// @param body empty for none
  Answer send(
      HttpMethod method,
      int port,
      String path,
      Map<String, String> headers,
      byte[] body,
      RecordedCall like) {
    boolean isLook = like.act() == CallType.STATUS;
    long sent = System.nanoTime();
    RequestOptions request =
        new RequestOptions().setMethod(method).setHost("127.0.0.1").setPort(port).setURI(path);
    if (body.length > 0) {
      request.putHeader("Content-Type", "application/json");
    }
    headers.forEach(request::putHeader);
    cookies.send(request);
    Answer answer = call(request, body, isLook ? LOOK_TIMEOUT_MS : TIMEOUT_MS);
    journal.add(
        new RecordedCall(
            like.act(),
            name,
            like.sale(),
            like.session(),
            like.key(),
            like.token(),
            like.quantity(),
            sent,
            System.nanoTime(),
            isLook ? slim(answer) : answer));
    return answer;
  }

  private Answer call(RequestOptions request, byte[] body, long timeoutMs) {
    try {
      return http.call(
              request.setTimeout(timeoutMs),
              body.length == 0 ? null : Buffer.buffer(body),
              timeoutMs,
              // The session is named by header: two tabs of one browser are two sessions here.
              response -> cookies.keep(response, "fairgate_device"))
          .await(2 * timeoutMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return CrowdClient.NO_ANSWER;
    }
  }

  /// Status calls are many, so only the compared fields are stored.
  private static Answer slim(Answer answer) {
    return answer.body() instanceof ObjectNode body
        ? new Answer(answer.status(), body.deepCopy().retain(OF_A_LOOK))
        : answer;
  }

  private static Map<String, String> in(String session) {
    return Map.of("X-Session-Id", session);
  }

  private static ObjectNode of(SaleTerms sale) {
    return JsonNodeFactory.instance.objectNode().put("product_id", sale.product());
  }

  private static byte[] text(ObjectNode body) {
    return Buffer.buffer(body.toString()).getBytes();
  }
}
