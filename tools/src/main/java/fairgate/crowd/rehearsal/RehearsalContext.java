package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The context of all visitors: sale, challenge, clock, counters, and HTTP calls.
final class RehearsalContext {
  private static final String JOIN = "/api/queue/join";
  private static final String PASS = "/api/challenge/pass";
  private static final String PURCHASE = "/api/purchase";

  private final Vertx vertx;
  private final Tally tally;
  private final ChallengeClient challenge;
  private final String product;
  private final long start;
  private volatile boolean over;

  RehearsalContext(
      Vertx vertx, Tally tally, ChallengeClient challenge, String product, long start) {
    this.vertx = vertx;
    this.tally = tally;
    this.challenge = challenge;
    this.product = product;
    this.start = start;
  }

  Tally tally() {
    return tally;
  }

  ChallengeClient challenge() {
    return challenge;
  }

  /// The sale's path in the admin API.
  String path() {
    return "/products/" + product;
  }

  /// Milliseconds since the first visitor came.
  long now() {
    return (System.nanoTime() - start) / 1_000_000;
  }

  /// From now on visitors leave at their next step.
  void close() {
    over = true;
  }

  boolean over() {
    return over;
  }

  void later(long millis, Runnable step) {
    vertx.setTimer(Math.max(1, millis), _ -> step.run());
  }

  Future<Answer> page(Browser browser) {
    return browser.get(Call.PAGE, "/p/" + product, Map.of());
  }

  Future<Answer> join(Browser browser, String token) {
    return join(browser, token, null);
  }

  /// @param behavior on the page before the join; null for none
  Future<Answer> join(Browser browser, String token, @Nullable ObjectNode behavior) {
    Map<String, String> claims =
        Map.of("product_id", product, "challenge", DeviceKey.digest(token));
    ObjectNode body = sale().put("turnstile_token", token);
    if (behavior != null) {
      body.set("behavior", behavior);
    }
    return browser.post(Call.JOIN, JOIN, browser.proof(JOIN, claims), body);
  }

  /// Passes a step before the join by a proof of work.
  Future<Answer> pass(Browser browser, String ticket, String token) {
    return browser.post(
        Call.CHALLENGE,
        PASS,
        Map.of(),
        sale().put("ticket", ticket).put("step", "work").put("token", token));
  }

  Future<Answer> status(Browser browser, String session) {
    return browser.get(Call.STATUS, "/api/queue/status", Map.of("X-Session-Id", session));
  }

  Future<Answer> purchase(
      Browser browser, String session, int quantity, String token, String idempotencyKey) {
    ObjectNode body = sale().put("quantity", quantity);
    if (!token.isEmpty()) {
      body.put("purchase_token", token);
    }
    Map<String, String> claims =
        Map.of("product_id", product, "session_id", session, "idempotency_key", idempotencyKey);
    Map<String, String> headers = new HashMap<>(browser.proof(PURCHASE, claims));
    headers.put("X-Session-Id", session);
    headers.put("Idempotency-Key", idempotencyKey);
    return browser.post(Call.PURCHASE, PURCHASE, headers, body);
  }

  Future<Answer> pay(Browser browser, String session, String order) {
    return browser.post(
        Call.PAY,
        "/api/orders/" + order + "/pay",
        Map.of("X-Session-Id", session),
        JsonNodeFactory.instance.objectNode().put("result", "paid"));
  }

  private ObjectNode sale() {
    return JsonNodeFactory.instance.objectNode().put("product_id", product);
  }
}
