package fairgate.app.payments;

import fairgate.app.TestFairgate;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Paid;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// The contract with a gateway that speaks Standard Webhooks.
class WebhookIT extends PaymentContract {
  WebhookIT() {
    super(new Rig());
  }

  private static final class Rig implements ProviderRig {
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private final FakeGateway gateway = FakeGateway.start(SECRET, Clock.systemUTC());
    private final Map<String, String> messages = new ConcurrentHashMap<>();

    @Override
    public Map<String, String> settings() {
      return Map.of(
          "payment.provider",
          "webhook",
          "payment.secret",
          SECRET,
          "payment.close_url",
          gateway.closeUrl(),
          "payment.refund_url",
          gateway.refundUrl());
    }

    @Override
    public void health(Health now) {
      gateway.mood(FakeGateway.Behavior.valueOf(now.name()));
    }

    /// The shop links to the gateway's page itself.
    @Override
    public int open(Buyer buyer, String order) {
      return 303;
    }

    @Override
    public boolean pay(String order, long amount) {
      return pay(order, "pay-" + order, amount);
    }

    private boolean pay(String order, String payment, long amount) {
      Paid paid = new Paid(payment, amount, "TWD");
      messages.put(order, FakeGateway.paid(order, paid));
      return gateway.pay(order, paid);
    }

    @Override
    public boolean payLate(TestFairgate server, Buyer buyer, String order, long amount) {
      boolean _ = pay(order, "late-" + order, amount);
      return true;
    }

    @Override
    public boolean payAgain(String order, long amount) {
      boolean _ = pay(order, "again-" + order, amount);
      return true;
    }

    @Override
    public void decline(String order) {
      messages.put(
          order, "{\"type\":\"payment.failed\",\"data\":{\"order_id\":\"%s\"}}".formatted(order));
    }

    private boolean send(TestFairgate server, String order, long epochSecond) {
      URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
      String message = messages.getOrDefault(order, "");
      return gateway.send(webhook, "msg_" + order, epochSecond, message) == 200;
    }

    private static long now() {
      return Clock.systemUTC().instant().getEpochSecond();
    }

    @Override
    public boolean tell(TestFairgate server, Buyer buyer, String order) {
      return send(server, order, now());
    }

    @Override
    public boolean forge(TestFairgate server, Buyer buyer, String order) {
      String message = FakeGateway.paid(order, new Paid("forged", 100, "TWD"));
      URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
      byte[] guess = new byte[24];
      String signature = FakeGateway.signature(guess, "msg_f", now(), message);
      return gateway.sendSigned(webhook, "msg_f", now(), signature, message) == 200;
    }

    @Override
    public boolean tellOfAnotherShop(TestFairgate server, String named) {
      URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
      return gateway.tell(webhook, named, new FakeGateway.Paid("other_1", 100, "TWD")) == 200;
    }

    @Override
    public boolean reportsReversals() {
      return true;
    }

    @Override
    public boolean tellRefunded(TestFairgate server, String order, long total) {
      return reversed(server, "payment.refunded", order, total, "");
    }

    @Override
    public boolean tellDispute(TestFairgate server, String order, String dispute, String state) {
      String more = ",\"dispute_id\":\"%s\",\"status\":\"%s\"".formatted(dispute, state);
      return reversed(server, "payment.disputed", order, 100, more);
    }

    private boolean reversed(
        TestFairgate server, String type, String order, long amount, String more) {
      URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
      String body =
          """
          {"type":"%s","data":{"order_id":"%s","payment_id":"pay-%s","amount":%d,"currency":"TWD"%s}}
          """
              .formatted(type, order, order, amount, more);
      return gateway.send(webhook, "msg_" + UUID.randomUUID(), now(), body) == 200;
    }

    @Override
    public String impossiblePrice() {
      return "";
    }

    @Override
    public boolean replayOld(TestFairgate server, Buyer buyer, String order) {
      return send(server, order, now() - 400);
    }

    @Override
    public List<Long> refunds(String order) {
      return gateway.refunds().values().stream()
          .filter(refund -> refund.path("order_id").asText().equals(order))
          .map(refund -> refund.path("amount").asLong())
          .toList();
    }

    @Override
    public Traits traits() {
      return new Traits(true, true, false);
    }

    @Override
    public void close() {
      gateway.close();
    }
  }
}
