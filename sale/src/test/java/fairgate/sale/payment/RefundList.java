package fairgate.sale.payment;

import fairgate.kernel.Money;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The ledger's list of refunds, read straight from a sale's outbox. A taken refund comes again at
/// once, as if every lease had run out.
final class RefundList implements RefundStore {
  private final SaleWorld world;
  private final Map<String, String> states = new HashMap<>();
  private final List<String> ended = new ArrayList<>();
  private final Map<String, Integer> tries = new HashMap<>();

  RefundList(SaleWorld world) {
    this.world = world;
  }

  @Override
  public synchronized List<DueRefund> take(int max, Duration lease) {
    Map<String, DueRefund> due = new LinkedHashMap<>();
    for (Map<String, String> entry : world.outbox()) {
      if ("refund_due".equals(entry.get("kind"))) {
        String order = entry.getOrDefault("order", "");
        Money amount =
            new Money(
                Long.parseLong(entry.getOrDefault("refund_amount", "")),
                entry.getOrDefault("refund_currency", ""));
        Payment payment = new Payment(entry.getOrDefault("payment", ""), amount);
        DueRefund one =
            new DueRefund(
                order,
                payment,
                entry.getOrDefault("refund_part", ""),
                entry.getOrDefault("reason", ""),
                1);
        due.put(one.key(), one);
      }
      if ("refunded".equals(entry.get("kind"))) {
        String part = entry.getOrDefault("refund_part", "");
        states.put(
            entry.getOrDefault("order", "")
                + ':'
                + entry.getOrDefault("payment", "")
                + (part.isEmpty() ? "" : ':' + part),
            "done");
      }
    }
    due.keySet().removeAll(states.keySet());
    return due.values().stream()
        .map(
            one ->
                new DueRefund(
                    one.order(),
                    one.payment(),
                    one.part(),
                    one.cause(),
                    tries.merge(one.key(), 1, Integer::sum)))
        .toList();
  }

  @Override
  public synchronized void done(DueRefund due) {
    ended.add(due.key());
    states.put(due.key(), "done");
  }

  @Override
  public void postpone(DueRefund due, Duration wait, String answer) {}

  @Override
  public synchronized void failed(DueRefund due, String answer) {
    states.put(due.key(), "failed");
  }

  @Override
  public int park(String why) {
    return 0;
  }

  @Override
  public synchronized void unplaced(String order, Payment payment, String cause) {
    states.put(order + ':' + payment.id(), cause);
  }

  @Override
  public Map<Refund.State, Long> open() {
    return Map.of();
  }

  synchronized Map<String, String> states() {
    return Map.copyOf(states);
  }

  /// The refunds that were ended without an entry of the outbox.
  synchronized List<String> ended() {
    return List.copyOf(ended);
  }
}
