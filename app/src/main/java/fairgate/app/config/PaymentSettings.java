package fairgate.app.config;

import java.util.List;

/// The payment provider.
public record PaymentSettings(
    @Setting(
            name = "payment.provider",
            fallback = "sandbox",
            words = {"sandbox", "webhook"},
            aliases = "FAIRGATE_PAYMENT",
            doc = "The payment provider; `sandbox` moves no money and is refused by `serve`.")
        String provider,
    @Setting(
            name = "payment.sandbox_in_production",
            fallback = "refused",
            words = {"refused", "accepted"},
            doc =
                "With `accepted`, `serve` runs with the sandbox, where every buyer can "
                    + "mark an order as paid without paying.")
        String sandboxInProduction,
    @Setting(
            name = "payment.secret",
            doc =
                "Secrets of the provider's webhooks (`whsec_...`), newest first, "
                    + "separated by commas.")
        List<Secret> secrets,
    @Setting(
            name = "payment.checkout_url",
            schemes = {"http", "https"},
            doc =
                "The provider's payment page for buyers; `{order_id}`, `{amount}` (minor "
                    + "units) and `{currency}` are replaced.")
        String checkoutUrl,
    @Setting(
            name = "payment.close_url",
            schemes = {"http", "https"},
            doc = "Called to close a payment before its unpaid order is released.")
        String closeUrl,
    @Setting(
            name = "payment.refund_url",
            schemes = {"http", "https"},
            doc = "Called to refund a payment. Without it refunds wait until it is set.")
        String refundUrl) {
  /// Whether `serve` may run with the sandbox, which takes no money.
  public boolean sandboxAccepted() {
    return sandboxInProduction.equals("accepted");
  }
}
