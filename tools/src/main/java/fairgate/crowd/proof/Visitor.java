package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// One browser: its cookies, and calls that wait for their answer and are kept in the journal. For
/// virtual threads. A call without an answer has the status 0.
final class Visitor {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TEST_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";
  private static final long TIMEOUT_MS = 4_000;

  /// Shorter than any presence timeout of a proof: a browser that gets no answer asks again.
  private static final long LOOK_TIMEOUT_MS = 1_000;

  private static final List<String> OF_A_LOOK =
      List.of(
          "error",
          "queue_status",
          "queue_position_waiting",
          "queue_position_active",
          "ended",
          "order_id");

  private final HttpClient http;
  private final Journal journal;
  private final String name;
  private final Map<String, String> cookies = new ConcurrentSkipListMap<>();

  Visitor(HttpClient http, Journal journal, String name) {
    this.http = http;
    this.journal = journal;
    this.name = name;
  }

  /// One purchase as it is sent.
  record PurchaseIntent(SaleTerms sale, String session, int quantity, String token, String key) {}

  Answer join(int port, SaleTerms sale) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("product_id", sale.product())
            .put("turnstile_token", TEST_TOKEN);
    long sent = System.nanoTime();
    Answer answer = call(port, HttpMethod.POST, "/api/queue/join", Map.of(), text(body));
    keep(new RecordedCall(CallType.JOIN, name, sale.product(), "", "", "", 0, sent, now(), answer));
    return answer;
  }

  /// The open deposit of this browser.
  Answer deposit(int port, SaleTerms sale) {
    byte[] body = text(JsonNodeFactory.instance.objectNode().put("product_id", sale.product()));
    return post(
        port,
        "/api/deposits",
        Map.of(),
        body,
        RecordedCall.about(CallType.DEPOSIT, sale.product(), "", ""));
  }

  Answer status(int port, SaleTerms sale, String session) {
    long sent = System.nanoTime();
    Answer answer =
        call(
            port,
            HttpMethod.GET,
            "/api/queue/status",
            Map.of("X-Session-Id", session),
            null,
            LOOK_TIMEOUT_MS);
    // Status calls are many, so only the compared fields are stored.
    Answer slim =
        answer.body() instanceof ObjectNode body
            ? new Answer(answer.status(), body.deepCopy().retain(OF_A_LOOK))
            : answer;
    keep(
        new RecordedCall(
            CallType.STATUS, name, sale.product(), session, "", "", 0, sent, now(), slim));
    return answer;
  }

  Answer leave(int port, SaleTerms sale, String session) {
    long sent = System.nanoTime();
    Answer answer =
        call(port, HttpMethod.POST, "/api/queue/leave", Map.of("X-Session-Id", session), null);
    keep(
        new RecordedCall(
            CallType.LEAVE, name, sale.product(), session, "", "", 0, sent, now(), answer));
    return answer;
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
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("product_id", want.sale().product())
            .put("quantity", want.quantity());
    if (!want.token().isEmpty()) {
      body.put("purchase_token", want.token());
    }
    journal.sending(want.key());
    long sent = System.nanoTime();
    Answer answer =
        call(
            port,
            HttpMethod.POST,
            "/api/purchase",
            Map.of("X-Session-Id", want.session(), "Idempotency-Key", want.key()),
            text(body));
    keep(
        new RecordedCall(
            CallType.PURCHASE,
            name,
            want.sale().product(),
            want.session(),
            want.key(),
            want.token(),
            want.quantity(),
            sent,
            now(),
            answer));
    return answer;
  }

  /// Claims the code of an order, in the name of this browser.
  Answer claim(int port, SaleTerms sale, String order) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("order_id", order)
            .put("product_id", sale.product())
            .put("device_id", name);
    long sent = System.nanoTime();
    Answer answer = call(port, HttpMethod.POST, "/api/redeem/claim", Map.of(), text(body));
    keep(
        new RecordedCall(
            CallType.CLAIM, name, sale.product(), "", order, "", 0, sent, now(), answer));
    return answer;
  }

  /// Another person, with another browser.
  Visitor stranger() {
    return new Visitor(http, journal, name + ".stranger");
  }

  Answer cancel(int port, SaleTerms sale, String session, String order) {
    long sent = System.nanoTime();
    Answer answer =
        call(
            port,
            HttpMethod.POST,
            "/api/orders/" + order + "/cancel",
            Map.of("X-Session-Id", session),
            null);
    keep(
        new RecordedCall(
            CallType.CANCEL, name, sale.product(), session, order, "", 0, sent, now(), answer));
    return answer;
  }

  /// Any other POST, recorded as given by `like`.
  Answer post(int port, String path, Map<String, String> headers, byte[] body, RecordedCall like) {
    return send(HttpMethod.POST, port, path, headers, body, like);
  }

  /// Any other call, recorded as given by `like`.
  Answer send(
      HttpMethod method,
      int port,
      String path,
      Map<String, String> headers,
      byte[] body,
      RecordedCall like) {
    long sent = System.nanoTime();
    Answer answer = call(port, method, path, headers, body.length == 0 ? null : body);
    keep(
        new RecordedCall(
            like.act(), name, like.sale(), like.session(), like.key(), "", 0, sent, now(), answer));
    return answer;
  }

  private void keep(RecordedCall recorded) {
    journal.add(recorded);
  }

  private static long now() {
    return System.nanoTime();
  }

  private static byte[] text(ObjectNode body) {
    return Buffer.buffer(body.toString()).getBytes();
  }

  private Answer call(
      int port,
      HttpMethod method,
      String path,
      Map<String, String> headers,
      byte @Nullable [] body) {
    return call(port, method, path, headers, body, TIMEOUT_MS);
  }

  private Answer call(
      int port,
      HttpMethod method,
      String path,
      Map<String, String> headers,
      byte @Nullable [] body,
      long timeoutMs) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost("127.0.0.1")
            .setPort(port)
            .setURI(path)
            .setTimeout(timeoutMs);
    Map<String, String> all = new LinkedHashMap<>();
    if (body != null) {
      all.put("Content-Type", "application/json");
    }
    all.putAll(headers);
    if (!cookies.isEmpty()) {
      all.put("Cookie", cookieLine());
    }
    Future<Answer> answer =
        Future.succeededFuture(options)
            .compose(http::request)
            .compose(
                request -> {
                  all.forEach(request::putHeader);
                  Future<HttpClientResponse> head =
                      body == null ? request.send() : request.send(Buffer.buffer(body));
                  return head.compose(this::answer);
                })
            .timeout(timeoutMs, TimeUnit.MILLISECONDS)
            .otherwise(_ -> new Answer(0, MissingNode.getInstance()));
    try {
      return answer.await(2 * timeoutMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return new Answer(0, MissingNode.getInstance());
    }
  }

  private String cookieLine() {
    StringBuilder line = new StringBuilder();
    cookies.forEach((cookie, value) -> line.append(cookie).append('=').append(value).append("; "));
    return line.substring(0, line.length() - 2);
  }

  private Future<Answer> answer(HttpClientResponse response) {
    for (String cookie : response.cookies()) {
      int equals = cookie.indexOf('=');
      int end = cookie.indexOf(';');
      // The session is named by header: two tabs of one browser are two sessions here.
      if (equals > 0 && cookie.startsWith("fairgate_device")) {
        cookies.put(
            cookie.substring(0, equals),
            cookie.substring(equals + 1, end < 0 ? cookie.length() : end));
      }
    }
    return response.body().map(bytes -> new Answer(response.statusCode(), parse(bytes)));
  }

  private static JsonNode parse(Buffer bytes) {
    try {
      return JSON.readTree(bytes.getBytes());
    } catch (IOException _) {
      return MissingNode.getInstance();
    }
  }
}
