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
public record PaymentConfig(
    Kind provider,
    LateMoney late,
    List<String> webhookSecrets,
    @Nullable String payUrl,
    @Nullable String closeUrl,
    @Nullable String refundUrl,
    Duration timeLimit) {
  public PaymentConfig {
    webhookSecrets = List.copyOf(webhookSecrets);
    if (provider == Kind.WEBHOOK && webhookSecrets.isEmpty()) {
      throw new IllegalArgumentException("the webhook provider needs a secret (whsec_...)");
    }
  }

  /// The payment provider.
  public enum Kind {
    /// Moves no money.
    SANDBOX,
    /// Any gateway that speaks Standard Webhooks.
    WEBHOOK
  }

  /// The policy for payments that arrive after the reservation ended.
  public enum LateMoney {
    /// Take the units again if they are free and within the limits; else refund.
    REHOLD,
    /// Always refund.
    REFUND
  }

  /// The defaults: the sandbox, and late payments take free units again.
  public static PaymentConfig defaults() {
    return new PaymentConfig(
        Kind.SANDBOX, LateMoney.REHOLD, List.of(), null, null, null, Duration.ofSeconds(5));
  }

  @Override
  public String toString() {
    return "PaymentConfig[provider=%s, late=%s, webhookSecrets=[redacted], payUrl=%s, closeUrl=%s, refundUrl=%s, timeLimit=%s]"
        .formatted(provider, late, payUrl, closeUrl, refundUrl, timeLimit);
  }
}
