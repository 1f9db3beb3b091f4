package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import fairgate.testkit.Eventually;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;

/// The calls of a buyer in the browser of a page, as the page of the sale sends them.
final class PageBuyer {
  private static final String JOIN =
      """
      async (product) => {
        const answer = await fetch('/api/queue/join', {method: 'POST',
          headers: {'content-type': 'application/json'},
          body: JSON.stringify({product_id: product, turnstile_token: 'XXXX.DUMMY.TOKEN.XXXX'})});
        return {...await answer.json(), http: answer.status};
      }
      """;

  private static final String PLACE =
      "async () => (await (await fetch('/api/queue/status')).json()).queue_status";

  private static final String BUY =
      """
      async ([product, quantity, key]) => {
        const answer = await fetch('/api/purchase', {method: 'POST',
          headers: {'content-type': 'application/json', 'idempotency-key': key},
          body: JSON.stringify({product_id: product, quantity})});
        return {...await answer.json(), http: answer.status};
      }
      """;

  private static final String PAY =
      """
      async (order) => (await fetch('/api/orders/' + order + '/pay', {method: 'POST',
        headers: {'content-type': 'application/json'}, body: JSON.stringify({result: 'paid'})})).status
      """;

  private PageBuyer() {}

  record Order(String id, String number) {}

  /// Joins the line of a sale, as soon as the server is not too busy for it. Returns the answer.
  static Map<?, ?> join(Page page, String product) {
    return untilAccepted("the join", () -> (Map<?, ?>) page.evaluate(JOIN, product));
  }

  private static Map<?, ?> untilAccepted(String what, Callable<Map<?, ?>> call) {
    return Eventually.get(
        "the server is not too busy for " + what,
        call,
        answer -> !Objects.equals(answer.get("http"), Chromium.BUSY));
  }

  /// Opens the page of a sale, joins, waits for the turn and buys.
  static Order buy(Page page, String product, int quantity) {
    page.navigate("/p/" + product);
    Map<?, ?> joined = join(page, product);
    assertThat(joined.get("http")).as(joined.toString()).isIn(200, 201, 202);
    Eventually.await("the turn has come", () -> "ready_to_purchase".equals(page.evaluate(PLACE)));
    List<Object> purchase = List.of(product, quantity, UUID.randomUUID().toString());
    Map<?, ?> bought =
        untilAccepted("the purchase", () -> (Map<?, ?>) page.evaluate(BUY, purchase));
    assertThat(bought.get("order_id")).as(bought.toString()).isNotNull();
    return new Order(
        String.valueOf(bought.get("order_id")), String.valueOf(bought.get("order_number")));
  }

  /// Pays an order in the sandbox; a paid one stays paid.
  static void pay(Page page, String order) {
    Object status =
        Eventually.get(
            "the server is not too busy for the payment",
            () -> page.evaluate(PAY, order),
            answer -> !Objects.equals(answer, Chromium.BUSY));
    assertThat(status).isEqualTo(200);
  }
}
