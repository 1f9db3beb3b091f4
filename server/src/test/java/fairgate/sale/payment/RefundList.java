package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The ledger's list of refunds, read straight from a sale's outbox. A taken refund comes again at
/// once, as if every lease had run out.
final class RefundList implements RefundStore {
  private final SaleWorld world;
  private final Map<String, String> states = new HashMap<>();
  private final Map<String, Integer> tries = new HashMap<>();

  RefundList(SaleWorld world) {
    this.world = world;
  }

  @Override
  public synchronized List<Due> take(int most, Duration lease) {
    List<Due> due = new ArrayList<>();
    for (Map<String, String> entry : world.outbox()) {
      if ("refund_due".equals(entry.get("kind"))) {
        OrderId order = new OrderId(entry.getOrDefault("order", ""));
        Money amount =
            new Money(
                Long.parseLong(entry.getOrDefault("refund_amount", "")),
                entry.getOrDefault("refund_currency", ""));
        Payment payment = new Payment(entry.getOrDefault("payment", ""), amount);
        String key = order.value() + ':' + payment.id();
        if (!states.containsKey(key)) {
          due.add(new Due(order, payment, tries.merge(key, 1, Integer::sum)));
        }
      }
    }
    return due;
  }

  @Override
  public synchronized void done(Due due) {
    states.put(due.key(), "done");
  }

  @Override
  public void postpone(Due due, Duration wait) {}

  @Override
  public synchronized void failed(Due due) {
    states.put(due.key(), "failed");
  }

  synchronized Map<String, String> states() {
    return Map.copyOf(states);
  }
}
