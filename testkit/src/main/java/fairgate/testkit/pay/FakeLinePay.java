package fairgate.testkit.pay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// LINE Pay's Online API v3 on loopback: signed requests, confirmation by the merchant, refunds
/// without idempotency keys, and records of payments.
public final class FakeLinePay extends FakeProvider {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String channel;
  private final String secret;
  private final AtomicLong ids = new AtomicLong(2_026_112_500_000_000_000L);
  private final Map<String, Transaction> transactions = new LinkedHashMap<>();

  /// A payment request.
  public static final class Transaction {
    private final String id;
    private final String orderId;
    private final JsonNode request;
    private final List<Long> refunds = new ArrayList<>();
    private String state = "0000";
    private long taken;

    private Transaction(String id, JsonNode request) {
      this.id = id;
      this.orderId = request.path("orderId").asText();
      this.request = request;
    }

    public String id() {
      return id;
    }

    /// The merchant's name of the request.
    public String orderId() {
      return orderId;
    }

    public List<Long> refunds() {
      return List.copyOf(refunds);
    }
  }

  public FakeLinePay(String channel, String secret) {
    this.channel = channel;
    this.secret = secret;
    listen();
  }

  /// The requests of an order, oldest first.
  public synchronized List<Transaction> transactions(String order) {
    return transactions.values().stream()
        .filter(transaction -> transaction.orderId.startsWith(order))
        .toList();
  }

  /// The buyer authorises the payment. False when the request has ended.
  ///
  /// @param amount what LINE Pay takes at the confirmation; the requested amount unless it is wrong
  public synchronized boolean authorise(Transaction transaction, long amount) {
    if (!transaction.state.equals("0000")) {
      return false;
    }
    transaction.state = "0110";
    transaction.taken = amount;
    return true;
  }

  /// The payment fails at LINE Pay.
  public synchronized void fail(Transaction transaction) {
    transaction.state = "0122";
  }

  /// Whether the merchant has confirmed the payment.
  public synchronized boolean isConfirmed(Transaction transaction) {
    return transaction.state.equals("0123");
  }

  @Override
  synchronized Answer answer(Call call) {
    String payload = call.method().equals("GET") ? call.query() : call.body();
    String nonce = call.header("x-line-authorization-nonce");
    String expected =
        Base64.getEncoder().encodeToString(hmac(secret, secret + call.path() + payload + nonce));
    if (!call.header("x-line-channelid").equals(channel)
        || nonce.isEmpty()
        || !call.header("x-line-authorization").equals(expected)) {
      return reply("1106", null);
    }
    String[] path = call.path().split("/", -1);
    if (call.path().equals("/v3/payments/request")) {
      return request(json(call.body()));
    }
    if (call.path().equals("/v3/payments")) {
      return details(call.queryFields());
    }
    if (path.length == 6 && path[5].equals("check")) {
      Transaction found = transactions.get(path[4]);
      return reply(found == null ? "1150" : found.state, null);
    }
    Transaction found = path.length == 5 ? transactions.get(path[3]) : null;
    if (found == null) {
      return reply("1150", null);
    }
    return switch (path[4]) {
      case "confirm" -> confirm(found, json(call.body()));
      case "refund" -> refund(found, json(call.body()));
      default -> new Answer(404, "text/plain", "");
    };
  }

  private Answer request(JsonNode body) {
    if (transactions.values().stream()
        .anyMatch(known -> known.orderId.equals(body.path("orderId").asText()))) {
      return reply("1172", null);
    }
    if (body.path("packages").path(0).path("amount").asLong() != body.path("amount").asLong()) {
      return reply("1124", null);
    }
    Transaction made = new Transaction(Long.toString(ids.incrementAndGet()), body);
    transactions.put(made.id, made);
    ObjectNode info = JSON.createObjectNode();
    info.put("transactionId", Long.parseLong(made.id))
        .put("paymentAccessToken", "187568751124")
        .putObject("paymentUrl")
        .put(
            "web",
            "https://sandbox-web-pay.line.me/web/payment/wait?transactionReserveId=" + made.id)
        .put("app", "line://pay/payment/" + made.id);
    return reply("0000", info);
  }

  private Answer confirm(Transaction transaction, JsonNode body) {
    if (transaction.state.equals("0123")) {
      return reply("1152", null);
    }
    if (!transaction.state.equals("0110")) {
      return reply("1169", null);
    }
    if (body.path("amount").asLong() != transaction.request.path("amount").asLong()) {
      return reply("1153", null);
    }
    transaction.state = "0123";
    ObjectNode info = JSON.createObjectNode();
    info.put("orderId", transaction.orderId).put("transactionId", Long.parseLong(transaction.id));
    info.putArray("payInfo")
        .addObject()
        .put("method", "CREDIT_CARD")
        .put("amount", transaction.taken);
    return reply("0000", info);
  }

  private Answer refund(Transaction transaction, JsonNode body) {
    long amount = body.path("refundAmount").asLong(transaction.taken);
    long before = transaction.refunds.stream().mapToLong(Long::longValue).sum();
    if (!transaction.state.equals("0123")) {
      return reply("1155", null);
    }
    if (before + amount > transaction.taken) {
      return reply(before == transaction.taken ? "1165" : "1164", null);
    }
    transaction.refunds.add(amount);
    ObjectNode info = JSON.createObjectNode();
    info.put("refundTransactionId", ids.incrementAndGet())
        .put("refundTransactionDate", "2026-11-25T13:00:00Z");
    return reply("0000", info);
  }

  private Answer details(Map<String, String> query) {
    Transaction found = transactions.get(query.getOrDefault("transactionId", ""));
    if (found == null || !found.state.equals("0123")) {
      return reply("1150", null);
    }
    ArrayNode info = JSON.createArrayNode();
    ObjectNode one = info.addObject();
    one.put("transactionId", Long.parseLong(found.id))
        .put("transactionDate", "2026-11-25T13:00:00Z")
        .put("transactionType", "PAYMENT")
        .put("payStatus", "CAPTURE")
        .put("currency", found.request.path("currency").asText());
    one.putArray("payInfo").addObject().put("method", "CREDIT_CARD").put("amount", found.taken);
    ArrayNode refunds = one.putArray("refundList");
    for (long refund : found.refunds) {
      refunds
          .addObject()
          .put("refundTransactionId", ids.incrementAndGet())
          .put("transactionType", refund == found.taken ? "PAYMENT_REFUND" : "PARTIAL_REFUND")
          .put("refundAmount", refund)
          .put("refundTransactionDate", "2026-11-25T13:00:00Z");
    }
    return reply("0000", info);
  }

  private static Answer reply(String code, @Nullable JsonNode info) {
    ObjectNode body = JSON.createObjectNode();
    body.put("returnCode", code).put("returnMessage", code.equals("0000") ? "Success." : "-");
    if (info != null) {
      body.set("info", info);
    }
    return new Answer(200, "application/json", body.toString());
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(text, e);
    }
  }
}
