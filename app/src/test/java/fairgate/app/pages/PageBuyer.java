package fairgate.app.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import fairgate.testkit.Eventually;
import java.util.List;
import java.util.Map;

/// The calls of a buyer in the browser of a page, as the page of the sale sends them.
final class PageBuyer {
  private static final String JOIN =
      """
      async (product) => (await fetch('/api/queue/join', {method: 'POST',
        headers: {'content-type': 'application/json'},
        body: JSON.stringify({product_id: product, turnstile_token: 'XXXX.DUMMY.TOKEN.XXXX'})})).json()
      """;

  private static final String PLACE =
      "async () => (await (await fetch('/api/queue/status')).json()).queue_status";

  private static final String BUY =
      """
      async ([product, quantity]) => (await fetch('/api/purchase', {method: 'POST',
        headers: {'content-type': 'application/json'},
        body: JSON.stringify({product_id: product, quantity})})).json()
      """;

  private static final String PAY =
      """
      async (order) => (await fetch('/api/orders/' + order + '/pay', {method: 'POST',
        headers: {'content-type': 'application/json'}, body: JSON.stringify({result: 'paid'})})).status
      """;

  private PageBuyer() {}

  record Order(String id, String number) {}

  /// Joins the line of a sale. Returns the answer.
  static Map<?, ?> join(Page page, String product) {
    return (Map<?, ?>) page.evaluate(JOIN, product);
  }

  /// Opens the page of a sale, joins, waits for the turn and buys.
  static Order buy(Page page, String product, int quantity) {
    page.navigate("/p/" + product);
    var _ = join(page, product);
    Eventually.await("the turn has come", () -> "ready_to_purchase".equals(page.evaluate(PLACE)));
    Map<?, ?> bought = (Map<?, ?>) page.evaluate(BUY, List.of(product, quantity));
    assertThat(bought.get("order_id")).as(bought.toString()).isNotNull();
    return new Order(
        String.valueOf(bought.get("order_id")), String.valueOf(bought.get("order_number")));
  }

  /// Pays an order in the sandbox.
  static void pay(Page page, String order) {
    assertThat(page.evaluate(PAY, order)).isEqualTo(200);
  }
}
