package fairgate.app.payments;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.app.TestFairgate;
import fairgate.testkit.pay.FakeProvider;
import fairgate.testkit.pay.FakeStripe;
import java.net.URI;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The contract with Stripe.
class StripeIT extends PaymentContract {
  StripeIT() {
    super(new Rig());
  }

  private static final class Rig implements ProviderRig {
    private static final String SECRET = "whsec_test_0Qm7pXkV3sTzYc4Lr9Wn2HbJ6dGfAe1u";
    private static final String KEY = "sk_test_51Nf0a7hUq2";

    private final FakeStripe stripe = new FakeStripe(KEY, SECRET, Clock.systemUTC());
    private final Map<String, String> messages = new ConcurrentHashMap<>();

    @Override
    public Map<String, String> settings() {
      return Map.of(
          "payment.provider",
          "stripe",
          "payment.secret",
          SECRET,
          "payment.stripe_key",
          KEY,
          "payment.api_url",
          stripe.url());
    }

    @Override
    public void health(Health now) {
      stripe.behave(FakeProvider.Behavior.valueOf(now.name()));
    }

    @Override
    public int open(Buyer buyer, String order) {
      return buyer.get("/pay/" + order).statusCode();
    }

    @Override
    public boolean pay(String order, long amount) {
      return pay(order, amount, false);
    }

    private boolean pay(String order, long amount, boolean evenExpired) {
      ObjectNode session = stripe.sessions(order).getLast();
      boolean took = stripe.pay(session, amount, evenExpired);
      messages.put(order, stripe.completed(session));
      return took;
    }

    @Override
    public boolean payLate(TestFairgate server, Buyer buyer, String order, long amount) {
      return pay(order, amount, true);
    }

    @Override
    public boolean payAgain(String order, long amount) {
      ObjectNode second = stripe.sessions(order).getLast().deepCopy();
      second.put("payment_intent", "pi_second");
      messages.put(order, stripe.completed(second));
      return true;
    }

    @Override
    public void decline(String order) {
      messages.put(order, stripe.declined(order, "insufficient_funds"));
    }

    private static URI webhook(TestFairgate server) {
      return URI.create(server.baseUrl() + "/api/payments/webhook");
    }

    private static long now() {
      return Clock.systemUTC().instant().getEpochSecond();
    }

    @Override
    public boolean tell(TestFairgate server, Buyer buyer, String order) {
      return stripe.send(webhook(server), messages.getOrDefault(order, ""), now()) == 200;
    }

    @Override
    public boolean forge(TestFairgate server, Buyer buyer, String order) {
      ObjectNode session = stripe.sessions(order).getLast().deepCopy();
      session
          .put("status", "complete")
          .put("payment_status", "paid")
          .put("payment_intent", "pi_forged");
      String event = stripe.completed(session);
      String signature = stripe.signature(event + " ", now());
      return stripe.sendSigned(webhook(server), event, signature) == 200;
    }

    @Override
    public boolean tellOfAnotherShop(TestFairgate server, String named) {
      String event = stripe.completedByAnotherShop(named, "pi_other_1");
      return stripe.send(webhook(server), event, now()) == 200;
    }

    @Override
    public boolean reportsReversals() {
      return true;
    }

    @Override
    public boolean tellRefunded(TestFairgate server, String order, long total) {
      String event = stripe.chargeRefunded(stripe.sessions(order).getLast(), total);
      return stripe.send(webhook(server), event, now()) == 200;
    }

    @Override
    public boolean tellDispute(TestFairgate server, String order, String dispute, String state) {
      String event = stripe.disputed(stripe.sessions(order).getLast(), dispute, state);
      return stripe.send(webhook(server), event, now()) == 200;
    }

    @Override
    public String impossiblePrice() {
      return "\"price\":49,\"currency\":\"USD\"";
    }

    @Override
    public boolean replayOld(TestFairgate server, Buyer buyer, String order) {
      return stripe.send(webhook(server), messages.getOrDefault(order, ""), now() - 400) == 200;
    }

    @Override
    public List<Long> refunds(String order) {
      return stripe.sessions(order).stream()
          .flatMap(session -> stripe.refunds(session.path("payment_intent").asText()).stream())
          .map(refund -> refund.path("amount").asLong())
          .toList();
    }

    @Override
    public Traits traits() {
      return new Traits(true, true, true);
    }

    @Override
    public void close() {
      stripe.close();
    }
  }
}
