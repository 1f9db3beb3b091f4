package fairgate.app.payments;

import fairgate.app.TestFairgate;
import fairgate.testkit.pay.FakeLinePay;
import fairgate.testkit.pay.FakeProvider;
import java.util.List;
import java.util.Map;

/// The contract with LINE Pay. It has no messages: the buyer comes back.
class LinePayIT extends PaymentContract {
  LinePayIT() {
    super(new Rig());
  }

  private static final class Rig implements ProviderRig {
    private static final int CENTS = 100;
    private static final String CHANNEL = "1657650001";
    private static final String SECRET = "5a1f0c3e7b9d2468ace013579bdf2468";

    private final FakeLinePay linePay = new FakeLinePay(CHANNEL, SECRET);

    @Override
    public Map<String, String> settings() {
      return Map.of(
          "payment.provider",
          "linepay",
          "payment.linepay_channel_id",
          CHANNEL,
          "payment.linepay_secret",
          SECRET,
          "payment.api_url",
          linePay.url());
    }

    @Override
    public void health(Health now) {
      linePay.behave(FakeProvider.Behavior.valueOf(now.name()));
    }

    private FakeLinePay.Transaction last(String order) {
      return linePay.transactions(order).getLast();
    }

    @Override
    public int open(Buyer buyer, String order) {
      return buyer.get("/pay/" + order).statusCode();
    }

    @Override
    public boolean pay(String order, long amount) {
      return linePay.authorise(last(order), amount / CENTS);
    }

    @Override
    public boolean payLate(TestFairgate server, Buyer buyer, String order, long amount) {
      boolean agreed = linePay.authorise(last(order), amount / CENTS);
      boolean back = tell(server, buyer, order);
      return agreed && back && linePay.isConfirmed(last(order));
    }

    @Override
    public boolean payAgain(String order, long amount) {
      return false;
    }

    @Override
    public void decline(String order) {
      linePay.fail(last(order));
    }

    @Override
    public boolean tell(TestFairgate server, Buyer buyer, String order) {
      return buyer.get("/pay/" + order + "/return").statusCode() == 303;
    }

    @Override
    public boolean forge(TestFairgate server, Buyer buyer, String order) {
      String query = "?transactionId=2026112500000000999&orderId=" + order;
      return buyer.get("/pay/" + order + "/return" + query).statusCode() == 303
          && buyer.status(order).equals("paid");
    }

    /// LINE Pay has no messages.
    @Override
    public boolean tellOfAnotherShop(TestFairgate server, String named) {
      return true;
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
      return linePay.transactions(order).stream()
          .flatMap(transaction -> transaction.refunds().stream())
          .map(dollars -> dollars * CENTS)
          .toList();
    }

    @Override
    public Traits traits() {
      return new Traits(false, false, true);
    }

    @Override
    public void close() {
      linePay.close();
    }
  }
}
