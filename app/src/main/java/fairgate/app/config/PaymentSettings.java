package fairgate.app.config;

import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.util.ArrayList;
import java.util.List;

/// The payment provider.
public record PaymentSettings(
    @Setting(
            name = "payment.provider",
            fallback = "sandbox",
            words = {"sandbox", "webhook", "stripe", "linepay", "ecpay"},
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
                "Secrets of the webhooks of `webhook` and `stripe` (`whsec_...`), newest first, "
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
        String refundUrl,
    @Setting(
            name = "payment.api_url",
            schemes = {"http", "https"},
            doc =
                "Address of the API of `stripe`, `linepay` or `ecpay`; empty uses the provider's "
                    + "address for real payments. Set it to the provider's test environment for "
                    + "tests.")
        String apiUrl,
    @Setting(name = "payment.stripe_key", doc = "Stripe's secret or restricted key.")
        Secret stripeKey,
    @Setting(name = "payment.linepay_channel_id", doc = "The id of the LINE Pay channel.")
        String linePayChannel,
    @Setting(name = "payment.linepay_secret", doc = "The secret key of the LINE Pay channel.")
        Secret linePaySecret,
    @Setting(name = "payment.ecpay_merchant_id", doc = "The merchant id at ECPay.")
        String ecpayMerchant,
    @Setting(name = "payment.ecpay_hash_key", doc = "The hash key of the merchant at ECPay.")
        Secret ecpayHashKey,
    @Setting(name = "payment.ecpay_hash_iv", doc = "The hash IV of the merchant at ECPay.")
        Secret ecpayHashIv,
    @Setting(
            name = "payment.ecpay_credit_check_code",
            doc =
                "The merchant's check code for credit cards at ECPay. Without it, payments can be "
                    + "refunded only after ECPay's daily capture.")
        Secret ecpayCreditCheckCode,
    @Setting(
            name = "payment.details_days",
            fallback = "400",
            min = 1,
            max = 3_650,
            doc =
                "Days after which the details that buyers gave for an order (name, address and so "
                    + "on) are erased.")
        int detailsDays) {
  /// Whether `serve` may run with the sandbox, which takes no money.
  public boolean sandboxAccepted() {
    return sandboxInProduction.equals("accepted");
  }

  /// Whether the provider makes payment pages of its own, which need the shop's public address.
  public boolean isHosted() {
    return switch (provider) {
      case "stripe", "linepay", "ecpay" -> true;
      default -> false;
    };
  }

  /// The settings that the provider needs and that are empty.
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    switch (provider) {
      case "webhook" -> need(missing, secrets.isEmpty(), "payment.secret");
      case "stripe" -> {
        need(missing, secrets.isEmpty(), "payment.secret");
        need(missing, stripeKey.isEmpty(), "payment.stripe_key");
      }
      case "linepay" -> {
        need(missing, linePayChannel.isEmpty(), "payment.linepay_channel_id");
        need(missing, linePaySecret.isEmpty(), "payment.linepay_secret");
      }
      case "ecpay" -> {
        need(missing, ecpayMerchant.isEmpty(), "payment.ecpay_merchant_id");
        need(missing, ecpayHashKey.isEmpty(), "payment.ecpay_hash_key");
        need(missing, ecpayHashIv.isEmpty(), "payment.ecpay_hash_iv");
      }
      default -> {}
    }
    return missing;
  }

  private static void need(List<String> missing, boolean isMissing, String name) {
    if (isMissing) {
      missing.add(name);
    }
  }
}
