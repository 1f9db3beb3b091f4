package fairgate;

import fairgate.NaiveSale.Place;
import fairgate.kernel.OrderId;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/// The reservations of a naive sale, and what payments do to them.
final class NaiveOrders {
  static final class Order {
    final OrderId id;
    final Place place;
    final int quantity;
    String status;
    String payment = "";
    boolean payWindowPassed;
    final Set<String> refunds = new HashSet<>();

    Order(OrderId id, Place place, int quantity, String status) {
      this.id = id;
      this.place = place;
      this.quantity = quantity;
      this.status = status;
    }
  }

  private final NaiveSale sale;
  final Map<String, Order> all = new LinkedHashMap<>();

  NaiveOrders(NaiveSale sale) {
    this.sale = sale;
  }

  void born(OrderId id, Place place, int quantity) {
    boolean pays = sale.rules.pays();
    all.put(id.value(), new Order(id, place, quantity, pays ? "pending" : "paid"));
    if (pays) {
      sale.held += quantity;
    } else {
      sale.confirmed += quantity;
    }
  }

  long pending() {
    return all.values().stream().filter(order -> order.status.equals("pending")).count();
  }

  String confirm(Order order, String payment, long amount) {
    if (order.refunds.contains(payment)) {
      return "REFUND_DUE";
    }
    if (order.payment.equals(payment)) {
      return "ALREADY";
    }
    if (amount != 9_999L * order.quantity) {
      return back(order, payment);
    }
    if (order.status.equals("pending")) {
      sale.held -= order.quantity;
      pay(order, payment);
      return "CONFIRMED";
    }
    Buyer buyer = order.place.buyer;
    boolean over = order.status.equals("cancelled") || order.status.equals("expired");
    if (!over
        || sale.stock < order.quantity
        || sale.over(NaiveSale.user(buyer), sale.rules.maxUser(), order.quantity)
        || sale.over(NaiveSale.device(buyer), sale.rules.maxDevice(), order.quantity)
        || sale.purchases.contains(order.place.id())) {
      return back(order, payment);
    }
    sale.stock -= order.quantity;
    sale.count(buyer, order.quantity);
    sale.purchases.add(order.place.id());
    order.place.status = "purchased";
    order.place.ended = "";
    order.place.order = order.id.value();
    pay(order, payment);
    return "LATE";
  }

  private void pay(Order order, String payment) {
    order.status = "paid";
    order.payment = payment;
    sale.confirmed += order.quantity;
    sale.seq++;
  }

  private String back(Order order, String payment) {
    order.refunds.add(payment);
    sale.seq++;
    return "REFUND_DUE";
  }

  String release(Order order, String reason) {
    if (order.status.equals("paid")) {
      return "PAID";
    }
    if (!order.status.equals("pending")) {
      return "ALREADY";
    }
    if (reason.equals("expired") && !order.payWindowPassed) {
      return "NOT_DUE";
    }
    order.status = reason;
    sale.held -= order.quantity;
    sale.stock += order.quantity;
    sale.count(order.place.buyer, -order.quantity);
    sale.purchases.remove(order.place.id());
    sale.seq++;
    order.place.status = "expired";
    order.place.ended = reason.equals("expired") ? "unpaid" : "left";
    sale.cooling.add(NaiveSale.user(order.place.buyer));
    sale.cooling.add(NaiveSale.device(order.place.buyer));
    return "RELEASED";
  }
}
