package fairgate.sale.payment;

import fairgate.kernel.OrderId;

/// The sandbox's page, where a buyer chooses how the payment ends. Works without JavaScript.
final class SandboxPage {
  private SandboxPage() {}

  /// Where the page of an order lies.
  static String path(OrderId order) {
    return "/sandbox/pay/" + order.value();
  }
}
