package fairgate.app.payments;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import fairgate.testkit.pay.FakeEcpay;
import fairgate.testkit.pay.FakeProvider;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/// The contract with ECPay, whose pages are reached by a form.
class EcpayIT extends PaymentContract {
  EcpayIT() {
    super(new Rig());
  }

  private Rig ecpay() {
    return (Rig) rig;
  }

  @Test
  void aWholeRefundBeforeTheCaptureCancelsTheAuthorisation() {
    ecpay().captures = false;
    try {
      refundOnce();
    } finally {
      ecpay().captures = true;
    }
  }

  @Test
  void aSimulatedPaymentPaysNothing() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    open(buyer, order);
    assertThat(ecpay().simulate(order)).isEqualTo("200 1|OK");
    assertThat(buyer.status(order)).isEqualTo("pending");
  }

  /// Each opening is a trade of its own, and an order has twenty.
  @Test
  void theBuyerOfAnOrderThatCannotBePaidAnyMoreIsToldAndItsUnitsAreFree() {
    Buyer buyer = buyer();
    String order = reserve(buyer, 5);
    for (int i = 0; i < 20; i++) {
      open(buyer, order);
    }
    HttpResponse<String> last =
        buyer.callUntilAccepted("GET", "/pay/" + order, "", "accept", "text/html");
    assertThat(last.statusCode()).isEqualTo(409);
    assertThat(last.body()).contains("This order cannot be paid");
    assertThat(buyer.status(order)).isEqualTo("cancelled");
    assertThat(free()).isEqualTo(5);
  }

  private static final class Rig implements ProviderRig {
    private static final int CENTS = 100;

    private final FakeEcpay ecpay =
        new FakeEcpay(
            "3002607", "pwFHCqoQZGmho4w6", "EkRm7iFT261dpevs", "59997889", Clock.systemUTC());
    private final Map<String, List<FakeEcpay.Trade>> trades = new ConcurrentHashMap<>();
    private boolean captures = true;

    @Override
    public Map<String, String> settings() {
      return Map.of(
          "payment.provider", "ecpay",
          "payment.ecpay_merchant_id", "3002607",
          "payment.ecpay_hash_key", "pwFHCqoQZGmho4w6",
          "payment.ecpay_hash_iv", "EkRm7iFT261dpevs",
          "payment.ecpay_credit_check_code", "59997889",
          "payment.api_url", ecpay.url());
    }

    @Override
    public void health(Health now) {
      ecpay.behave(FakeProvider.Behavior.valueOf(now.name()));
    }

    /// The status of a redirect, when ECPay takes the form of the page.
    @Override
    public int open(Buyer buyer, String order) {
      HttpResponse<String> page = buyer.get("/pay/" + order);
      if (page.statusCode() != 200) {
        return page.statusCode();
      }
      String policy = page.headers().firstValue("content-security-policy").orElse("");
      FakeEcpay.Trade trade = ecpay.open(Buyer.fields(page.body()));
      if (trade == null || !policy.contains("form-action 'self' " + ecpay.url())) {
        return 500;
      }
      trades.computeIfAbsent(order, _ -> new ArrayList<>()).add(trade);
      return 303;
    }

    private List<FakeEcpay.Trade> all(String order) {
      return trades.getOrDefault(order, List.of());
    }

    private FakeEcpay.Trade last(String order) {
      return all(order).getLast();
    }

    @Override
    public boolean pay(String order, long amount) {
      ecpay.pay(last(order), amount / CENTS);
      if (captures) {
        ecpay.capture(last(order));
      }
      return true;
    }

    /// Somebody simulates a payment in the back office.
    private String simulate(String order) {
      ecpay.pay(last(order), 1);
      String message = ecpay.message(last(order), true);
      return Eventually.get(
          "the server takes the message",
          () -> ecpay.send(last(order), message),
          reply -> !reply.startsWith("503"));
    }

    @Override
    public boolean payLate(TestFairgate server, Buyer buyer, String order, long amount) {
      return pay(order, amount);
    }

    /// The page that was left is still open.
    @Override
    public boolean payAgain(String order, long amount) {
      List<FakeEcpay.Trade> all = all(order);
      all.add(all.removeFirst());
      return pay(order, amount);
    }

    @Override
    public void decline(String order) {
      ecpay.decline(last(order));
    }

    @Override
    public boolean tell(TestFairgate server, Buyer buyer, String order) {
      return ecpay.send(last(order), ecpay.message(last(order), false)).equals("200 1|OK");
    }

    @Override
    public boolean forge(TestFairgate server, Buyer buyer, String order) {
      String message = ecpay.message(last(order), false);
      String paid = message.replaceFirst("RtnCode=[0-9]+", "RtnCode=1");
      return ecpay.send(last(order), paid).startsWith("200");
    }

    @Override
    public boolean tellOfAnotherShop(TestFairgate server, String named) {
      String number = named.substring(Math.max(0, named.length() - 20)).replaceAll("\\W", "");
      URI webhook = URI.create(server.baseUrl() + "/api/payments/webhook");
      return ecpay.sendOfAnotherShop(webhook, number, "other_1").equals("200 1|OK");
    }

    @Override
    public String impossiblePrice() {
      return "\"price\":9950,\"currency\":\"TWD\"";
    }

    @Override
    public boolean replayOld(TestFairgate server, Buyer buyer, String order) {
      return tell(server, buyer, order);
    }

    @Override
    public List<Long> refunds(String order) {
      return all(order).stream()
          .flatMap(trade -> trade.refunds().stream())
          .map(dollars -> dollars * CENTS)
          .toList();
    }

    @Override
    public Traits traits() {
      return new Traits(false, false, true);
    }

    @Override
    public void close() {
      ecpay.close();
    }
  }
}
