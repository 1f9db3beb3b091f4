package fairgate.testkit.pay;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.time.Clock;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Stripe Checkout on loopback: sessions with idempotency keys that can be expired, refunds, and
/// signed events. What it sends is read with Stripe's own library in tests.
public final class FakeStripe extends FakeProvider {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TYPE = "application/json";
  private static final long HALF_HOUR_S = 30 * 60;
  private static final long DAY_S = 24 * 60 * 60;

  private final String key;
  private final String endpointSecret;
  private final Clock clock;
  private final AtomicLong ids = new AtomicLong(System.nanoTime());
  private final Map<String, ObjectNode> sessions = new ConcurrentHashMap<>();
  private final Map<String, Replay> replays = new ConcurrentHashMap<>();
  private final List<ObjectNode> refunds = new CopyOnWriteArrayList<>();

  private record Replay(String request, Answer answer) {}

  /// @param key the secret key, `sk_test_...`
  /// @param endpointSecret the secret of the webhook endpoint, `whsec_...`
  public FakeStripe(String key, String endpointSecret, Clock clock) {
    this.key = key;
    this.endpointSecret = endpointSecret;
    this.clock = clock;
    listen();
  }

  /// The sessions of an order, oldest first.
  public List<ObjectNode> sessions(String order) {
    return sessions.values().stream()
        .filter(session -> session.path("client_reference_id").asText().equals(order))
        .sorted((a, b) -> a.path("id").asText().compareTo(b.path("id").asText()))
        .toList();
  }

  /// The refunds of a payment.
  public List<ObjectNode> refunds(String intent) {
    return refunds.stream()
        .filter(refund -> refund.path("payment_intent").asText().equals(intent))
        .toList();
  }

  /// The buyer pays on the page. False when the session cannot be paid any more.
  ///
  /// @param evenExpired whether an expired session takes money too, which Stripe excludes
  public synchronized boolean pay(ObjectNode session, long amount, boolean evenExpired) {
    if (!session.path("status").asText().equals("open") && !evenExpired) {
      return false;
    }
    session
        .put("status", "complete")
        .put("payment_status", "paid")
        .put("payment_intent", "pi_" + ids.incrementAndGet())
        .put("amount_total", amount)
        .putNull("url");
    return true;
  }

  /// The event that a session was completed.
  public String completed(ObjectNode session) {
    return event("checkout.session.completed", session);
  }

  /// The event that a session of another shop on the same account was completed.
  public String completedByAnotherShop(String order, String intent) {
    ObjectNode session = JSON.createObjectNode();
    session
        .put("id", "cs_test_" + ids.incrementAndGet())
        .put("object", "checkout.session")
        .put("client_reference_id", order)
        .put("currency", "twd")
        .put("amount_total", 100)
        .put("status", "complete")
        .put("payment_status", "paid")
        .put("payment_intent", intent);
    return completed(session);
  }

  /// The event that a card was declined.
  public String declined(String order, String declineCode) {
    ObjectNode intent = JSON.createObjectNode();
    intent
        .put("id", "pi_" + ids.incrementAndGet())
        .put("object", "payment_intent")
        .put("status", "requires_payment_method");
    intent.putObject("metadata").put("order_id", order);
    intent
        .putObject("last_payment_error")
        .put("code", "card_declined")
        .put("decline_code", declineCode)
        .put("type", "card_error");
    return event("payment_intent.payment_failed", intent);
  }

  /// The event that so much of a payment went back in all, as after a refund in the Dashboard.
  public String chargeRefunded(ObjectNode session, long total) {
    ObjectNode charge = JSON.createObjectNode();
    charge
        .put("id", "ch_" + ids.incrementAndGet())
        .put("object", "charge")
        .put("amount", session.path("amount_total").asLong())
        .put("amount_refunded", total)
        .put("currency", session.path("currency").asText())
        .put("payment_intent", session.path("payment_intent").asText())
        .put("refunded", total == session.path("amount_total").asLong());
    return event("charge.refunded", charge);
  }

  /// The event that the whole payment is disputed, or that the dispute was decided.
  ///
  /// @param state `open`, `won` or `lost`
  public String disputed(ObjectNode session, String id, String state) {
    boolean isOpen = state.equals("open");
    ObjectNode dispute = JSON.createObjectNode();
    dispute
        .put("id", id)
        .put("object", "dispute")
        .put("amount", session.path("amount_total").asLong())
        .put("currency", session.path("currency").asText())
        .put("charge", "ch_" + ids.incrementAndGet())
        .put("payment_intent", session.path("payment_intent").asText())
        .put("reason", "fraudulent")
        .put("status", isOpen ? "needs_response" : state);
    return event(isOpen ? "charge.dispute.created" : "charge.dispute.closed", dispute);
  }

  private String event(String type, ObjectNode object) {
    ObjectNode event = JSON.createObjectNode();
    event
        .put("id", "evt_" + ids.incrementAndGet())
        .put("object", "event")
        .put("api_version", "2024-06-20")
        .put("created", clock.instant().getEpochSecond())
        .put("livemode", false)
        .put("pending_webhooks", 1)
        .put("type", type);
    event.putObject("data").set("object", object);
    return event.toString();
  }

  /// Sends an event, signed for a time, and returns the status of the reply.
  public int send(URI webhook, String event, long epochSecond) {
    return post(webhook, TYPE, event, "Stripe-Signature", signature(event, epochSecond))
        .statusCode();
  }

  /// Sends an event with any signature.
  public int sendSigned(URI webhook, String event, String signature) {
    return post(webhook, TYPE, event, "Stripe-Signature", signature).statusCode();
  }

  /// The header of an event.
  public String signature(String event, long epochSecond) {
    byte[] mac = hmac(endpointSecret, epochSecond + "." + event);
    return "t=" + epochSecond + ",v1=" + HexFormat.of().formatHex(mac);
  }

  @Override
  Answer answer(Call call) {
    if (!call.header("authorization").equals("Bearer " + key)) {
      return error(401, "invalid_request_error", "api_key_invalid");
    }
    String replay = call.header("idempotency-key");
    if (replay.isEmpty()) {
      return act(call);
    }
    synchronized (this) {
      String request = call.path() + ' ' + call.body();
      Replay before = replays.get(replay);
      if (before != null) {
        return before.request().equals(request)
            ? before.answer()
            : error(400, "idempotency_error", "idempotency_key_in_use");
      }
      Answer answer = act(call);
      replays.put(replay, new Replay(request, answer));
      return answer;
    }
  }

  private synchronized Answer act(Call call) {
    String path = call.path();
    boolean isPost = call.method().equals("POST");
    if (path.equals("/v1/checkout/sessions") && isPost) {
      return create(call.form());
    }
    if (path.equals("/v1/refunds")) {
      return isPost ? refund(call.form()) : list(call.queryFields());
    }
    if (path.equals("/v1/balance")) {
      return new Answer(200, TYPE, "{\"object\":\"balance\",\"livemode\":false}");
    }
    if (!path.startsWith("/v1/checkout/sessions/")) {
      return error(404, "invalid_request_error", "resource_missing");
    }
    String[] rest = path.substring("/v1/checkout/sessions/".length()).split("/", -1);
    ObjectNode session = sessions.get(rest[0]);
    if (session == null) {
      return error(404, "invalid_request_error", "resource_missing");
    }
    if (rest.length == 2 && rest[1].equals("expire")) {
      if (!session.path("status").asText().equals("open")) {
        return error(400, "invalid_request_error", null);
      }
      session.put("status", "expired").putNull("url");
    }
    return new Answer(200, TYPE, session.toString());
  }

  private Answer create(Map<String, String> form) {
    long life = Long.parseLong(form.get("expires_at")) - clock.instant().getEpochSecond();
    if (life < HALF_HOUR_S || life > DAY_S) {
      return error(400, "invalid_request_error", "parameter_invalid");
    }
    String id = "cs_test_" + ids.incrementAndGet();
    long units =
        Long.parseLong(form.get("line_items[0][price_data][unit_amount]"))
            * Long.parseLong(form.get("line_items[0][quantity]"));
    ObjectNode session = JSON.createObjectNode();
    session
        .put("id", id)
        .put("object", "checkout.session")
        .put("mode", form.get("mode"))
        .put("livemode", false)
        .put("client_reference_id", form.get("client_reference_id"))
        .put("currency", form.get("line_items[0][price_data][currency]"))
        .put("amount_total", units)
        .put("amount_subtotal", units)
        .put("status", "open")
        .put("payment_status", "unpaid")
        .putNull("payment_intent")
        .put("expires_at", Long.parseLong(form.get("expires_at")))
        .put("success_url", form.get("success_url"))
        .put("cancel_url", form.get("cancel_url"))
        .put("url", "https://checkout.stripe.com/c/pay/" + id);
    session.putObject("metadata").put("order_id", form.get("metadata[order_id]"));
    sessions.put(id, session);
    return new Answer(200, TYPE, session.toString());
  }

  private Answer refund(Map<String, String> form) {
    String intent = form.getOrDefault("payment_intent", "");
    ObjectNode session =
        sessions.values().stream()
            .filter(found -> found.path("payment_intent").asText().equals(intent))
            .findFirst()
            .orElse(null);
    if (session == null) {
      return error(404, "invalid_request_error", "resource_missing");
    }
    long before = refunds(intent).stream().mapToLong(it -> it.path("amount").asLong()).sum();
    long amount = Long.parseLong(form.get("amount"));
    if (before + amount > session.path("amount_total").asLong()) {
      return error(400, "invalid_request_error", "charge_already_refunded");
    }
    ObjectNode refund = JSON.createObjectNode();
    refund
        .put("id", "re_" + ids.incrementAndGet())
        .put("object", "refund")
        .put("amount", amount)
        .put("currency", session.path("currency").asText())
        .put("payment_intent", intent)
        .put("status", "succeeded");
    refund.putObject("metadata").put("fairgate_key", form.get("metadata[fairgate_key]"));
    refunds.add(refund);
    return new Answer(200, TYPE, refund.toString());
  }

  private Answer list(Map<String, String> query) {
    ObjectNode list = JSON.createObjectNode().put("object", "list").put("has_more", false);
    ArrayNode data = list.put("url", "/v1/refunds").putArray("data");
    refunds(query.getOrDefault("payment_intent", "")).forEach(data::add);
    return new Answer(200, TYPE, list.toString());
  }

  private static Answer error(int status, String type, @Nullable String code) {
    ObjectNode body = JSON.createObjectNode();
    ObjectNode error = body.putObject("error").put("type", type).put("message", "refused");
    if (code != null) {
      error.put("code", code);
    }
    return new Answer(status, TYPE, body.toString());
  }
}
