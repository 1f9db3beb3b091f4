package fairgate.sale.ledger;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.ProductId;
import fairgate.platform.events.OutboxEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Writes outbox entries as the scripts do, in the order they would.
public final class History {
  private static final long START = 1_790_000_000_000L;

  private final ProductId product;
  private final List<OutboxEntry> entries = new ArrayList<>();
  private final Map<String, Order> orders = new LinkedHashMap<>();
  private long epoch = 1;
  private long seq;

  /// An order as the script's hash has it.
  public static final class Order {
    final String id;
    final int session;
    final int quantity;
    String status = "pending";
    int version = 1;

    Order(String id, int session, int quantity) {
      this.id = id;
      this.session = session;
      this.quantity = quantity;
    }

    public String id() {
      return id;
    }

    public String status() {
      return status;
    }

    public int quantity() {
      return quantity;
    }
  }

  public History(ProductId product) {
    this.product = product;
  }

  public List<OutboxEntry> entries() {
    return List.copyOf(entries);
  }

  public List<Order> orders() {
    return List.copyOf(orders.values());
  }

  /// As after a rebuild of the gate: numbers start again.
  public void nextEpoch() {
    epoch++;
    seq = 0;
  }

  /// Leaves a number to somebody else.
  public void skip() {
    seq++;
  }

  @CanIgnoreReturnValue
  public Order reserve(int session, int quantity) {
    String id = "order_%s_%026d".formatted(product, orders.size() + 1);
    Order order = new Order(id, session, quantity);
    orders.put(id, order);
    tell(order, "reserved", Map.of());
    return order;
  }

  /// An order that uses a deposit.
  @CanIgnoreReturnValue
  public Order reserve(int session, int quantity, String deposit) {
    Order order = reserve(session, quantity);
    entries.removeLast();
    seq--;
    tell(order, "reserved", Map.of("deposit", deposit + " 50"));
    return order;
  }

  /// An order that needs no payment.
  @CanIgnoreReturnValue
  public Order buy(int session, int quantity) {
    Order order = reserve(session, quantity);
    entries.removeLast();
    seq--;
    order.status = "paid";
    tell(order, "reserved", Map.of());
    return order;
  }

  public void pay(Order order, String payment) {
    step(order, "paid", "confirmed", Map.of("payment", payment));
  }

  public void expire(Order order) {
    step(order, "expired", "released", Map.of("reason", "unpaid"));
  }

  public void cancel(Order order) {
    step(order, "cancelled", "released", Map.of("reason", "buyer"));
  }

  public void refundDue(Order order, String payment, long amount) {
    tell(order, "refund_due", money(payment, amount));
  }

  /// A part of the payment is to go back.
  public void refundPart(Order order, String payment, long amount, String part) {
    Map<String, String> more = new LinkedHashMap<>(money(payment, amount));
    more.put("refund_part", part);
    tell(order, "refund_due", more);
  }

  /// The money of a paid order went back.
  public void refund(Order order, String payment) {
    step(order, "refunded", "refunded", Map.of("payment", payment));
  }

  /// Money that never bought the order went back.
  public void refundStray(Order order, String payment, long amount) {
    tell(order, "refunded", money(payment, amount));
  }

  private static Map<String, String> money(String payment, long amount) {
    return Map.of(
        "payment", payment, "refund_amount", Long.toString(amount), "refund_currency", "TWD");
  }

  public void stock(int batch, int quantity) {
    seq++;
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("kind", "stock");
    fields.put("batch", Integer.toString(batch));
    fields.put("quantity", Integer.toString(quantity));
    add(fields);
  }

  private void step(Order order, String status, String kind, Map<String, String> more) {
    order.status = status;
    order.version++;
    tell(order, kind, more);
  }

  private void tell(Order order, String kind, Map<String, String> more) {
    seq++;
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("kind", kind);
    fields.put("order", order.id);
    fields.put("session", session(order.session));
    fields.put("user", "user" + order.session);
    fields.put("device", "device" + order.session);
    fields.put("quantity", Integer.toString(order.quantity));
    fields.put("amount", Integer.toString(100 * order.quantity));
    fields.put("currency", "TWD");
    fields.put("status", order.status);
    fields.put("version", Integer.toString(order.version));
    fields.put("pay_by", Long.toString(START + 600_000));
    fields.putAll(more);
    add(fields);
  }

  private void add(Map<String, String> fields) {
    fields.put("seq", Long.toString(seq));
    fields.put("epoch", Long.toString(epoch));
    fields.put("at", Long.toString(START + epoch * 1_000_000 + seq));
    entries.add(new OutboxEntry((START + epoch * 1_000_000 + seq) + "-0", fields));
  }

  static String session(int number) {
    return "00000000-0000-4000-8000-%012d".formatted(number);
  }
}
