package fairgate.sale.payment;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The settings of payment.
///
/// @param late policy for payments that arrive after their reservation has ended
/// @param webhookSecrets `whsec_` and base64; the first one signs, all of them verify
/// @param payUrl page for paying with the webhook provider; `{order_id}`, `{amount}` and
///   `{currency}` are filled in. None: the shop's own page links to the provider
/// @param closeUrl called before an unpaid reservation ends. None: the provider is assumed to close
///   payments itself at the deadline
/// @param refundUrl called for refunds. None: refunds wait until it is set
/// @param timeLimit timeout of a call to the provider
/// @param account the merchant's account at a provider with payment pages of its own; null for the
///   others
public record PaymentConfig(
    Kind provider,
    LateMoney late,
    List<String> webhookSecrets,
    @Nullable String payUrl,
    @Nullable String closeUrl,
    @Nullable String refundUrl,
    Duration timeLimit,
    @Nullable Account account) {
  public PaymentConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    if (provider.isHosted() && account == null) {
      throw new IllegalArgumentException("the provider needs an account");
    }
    if (provider == Kind.WEBHOOK && webhookSecrets.isEmpty()) {
      throw new IllegalArgumentException("the webhook provider needs a secret (whsec_...)");
    }
  }

  public enum Kind {
    /// Moves no money.
    SANDBOX,
    /// Any gateway that speaks Standard Webhooks.
    WEBHOOK,
    STRIPE,
    /// LINE Pay, Online API v3.
    LINEPAY,
    /// ECPay, the all-in-one cashier of Taiwan, for credit cards.
    ECPAY;

    /// Whether the provider makes a payment page for each try.
    public boolean isHosted() {
      return switch (this) {
        case SANDBOX, WEBHOOK -> false;
        case STRIPE, LINEPAY, ECPAY -> true;
      };
    }
  }

  /// A merchant's account.
  ///
  /// @param apiUrl the provider's address, without a slash at its end
  /// @param id the channel id of LINE Pay, the merchant id of ECPay; empty at Stripe
  /// @param secret the secret key of Stripe, the channel secret of LINE Pay, the hash key of ECPay
  /// @param secondSecret the hash IV of ECPay; else empty
  /// @param creditCheckCode the check code of ECPay's credit cards, needed for full refunds before
  ///   the daily capture; empty for none
  public record Account(
      String apiUrl, String id, String secret, String secondSecret, String creditCheckCode) {
    @Override
    public String toString() {
      return "Account[apiUrl=%s, id=%s, secrets=[redacted]]".formatted(apiUrl, id);
    }
  }

  /// The policy for payments that arrive after the reservation ended.
  public enum LateMoney {
    /// Take the units again if they are free and within the limits; else refund.
    REHOLD,
    REFUND
  }

  /// The defaults: the sandbox, and late payments take free units again.
  public static PaymentConfig defaults() {
    return new PaymentConfig(
        Kind.SANDBOX, LateMoney.REHOLD, List.of(), null, null, null, Duration.ofSeconds(5), null);
  }

  @Override
  public String toString() {
    return "PaymentConfig[provider=%s, late=%s, webhookSecrets=[redacted], payUrl=%s, closeUrl=%s, refundUrl=%s, timeLimit=%s, account=%s]"
        .formatted(provider, late, payUrl, closeUrl, refundUrl, timeLimit, account);
  }
}
