package fairgate.sale.payment;

import java.util.Map;

/// The outcome of a buyer's way to the payment page.
public sealed interface CheckoutOutcome {
  /// The page to open.
  record Redirect(String url) implements CheckoutOutcome {}

  /// A form that the browser has to post.
  record Form(String url, Map<String, String> fields) implements CheckoutOutcome {}

  /// The order is not pending any more.
  record Settled(Order order) implements CheckoutOutcome {}

  /// There is no page.
  record Refused(PaymentOutcome.Refused outcome) implements CheckoutOutcome {}
}
