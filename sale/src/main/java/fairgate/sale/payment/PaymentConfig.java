package fairgate.sale.payment;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Settings of payment.
///
/// @param late what becomes of money that arrives after its reservation has ended
/// @param webhookSecrets `whsec_` and base64; the first one signs, all of them verify
/// @param payUrl where buyers pay with the webhook provider; `{order_id}`, `{amount}` and
///   `{currency}` are filled in. None: the shop's own page sends them on
/// @param closeUrl asked before an unpaid reservation ends. None: the provider is taken to close by
///   itself at the deadline
/// @param refundUrl asked to give money back. None: refunds wait until there is one
/// @param timeLimit how long a call to the provider may take
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
