package fairgate.sale.payment;

import fairgate.kernel.WebhookSignature;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// The metrics of payments. All counters exist with value 0 from the start, so that an alert sees
/// the first event. `fairgate_refunds{state}` with `waiting`, `failed` and `unplaced` is money that
/// a person has to decide about: alert on it.
final class PaymentMetrics {
  private final Metrics metrics;
  private final Counter notPayable;
  private final AtomicLong disputes = new AtomicLong();
  private final Map<Refund.State, Long> open = new ConcurrentHashMap<>();

  PaymentMetrics(Metrics metrics) {
    this.metrics = metrics;
    this.notPayable =
        metrics.counter(
            "fairgate_orders_not_payable_total",
            "Orders that were cancelled because the provider takes no payment for them");
    for (String result :
        new String[] {
          "confirmed", "late", "repeated", "refund_due", "other_order", "unknown_order", "foreign"
        }) {
      Counter _ = payments(result);
    }
    for (WebhookSignature.Result verdict : WebhookSignature.Result.values()) {
      Counter _ = webhooks(verdict);
    }
    for (String result : new String[] {"closed", "paid", "unknown"}) {
      Counter _ = closes(result);
    }
    for (String result : new String[] {"refunded", "refused", "unknown"}) {
      Counter _ = refunds(result);
    }
    metrics.gauge(
        "fairgate_payment_disputes", "Disputes of payments that are not decided", disputes::get);
    for (Refund.State state : Refund.State.values()) {
      if (state.open()) {
        metrics.gauge(
            "fairgate_refunds",
            "Refunds that have not ended, by state",
            () -> open.getOrDefault(state, 0L),
            "state",
            state.word());
      }
    }
  }

  void provider(ProviderHealth health) {
    metrics.gauge(
        "fairgate_payment_provider_failing",
        "1 while the API of the payment provider fails, so that payment deadlines stand still",
        () -> health.isFailing() ? 1 : 0);
  }

  void booked(ConfirmOutcome outcome) {
    payments(
            switch (outcome) {
              case ConfirmOutcome.Confirmed(boolean late) -> late ? "late" : "confirmed";
              case ConfirmOutcome.AlreadyPaid() -> "repeated";
              case ConfirmOutcome.RefundDue() -> "refund_due";
              case ConfirmOutcome.OtherOrder() -> "other_order";
              case ConfirmOutcome.UnknownOrder() -> "unknown_order";
            })
        .increment();
  }

  void foreign() {
    payments("foreign").increment();
  }

  /// Counts an order that was cancelled because the provider never takes its payment.
  void notPayable() {
    notPayable.increment();
  }

  void webhook(WebhookSignature.Result verdict) {
    webhooks(verdict).increment();
  }

  void closed(PaymentProvider.CloseOutcome outcome) {
    closes(
            switch (outcome) {
              case PaymentProvider.CloseOutcome.Closed() -> "closed";
              case PaymentProvider.CloseOutcome.Paid(Payment _) -> "paid";
              case PaymentProvider.CloseOutcome.Unknown(String _) -> "unknown";
            })
        .increment();
  }

  void refund(PaymentProvider.RefundOutcome outcome) {
    refunds(
            switch (outcome) {
              case PaymentProvider.RefundOutcome.Refunded() -> "refunded";
              case PaymentProvider.RefundOutcome.Refused(String _) -> "refused";
              case PaymentProvider.RefundOutcome.Unknown(String _) -> "unknown";
            })
        .increment();
  }

  void openDisputes(long count) {
    disputes.set(count);
  }

  void openRefunds(Map<Refund.State, Long> counts) {
    Map<Refund.State, Long> all = new EnumMap<>(Refund.State.class);
    for (Refund.State state : Refund.State.values()) {
      all.put(state, counts.getOrDefault(state, 0L));
    }
    open.putAll(all);
  }

  private Counter payments(String result) {
    return metrics.counter(
        "fairgate_payments_total", "Payment notifications, by result", "result", result);
  }

  private Counter webhooks(WebhookSignature.Result verdict) {
    return metrics.counter(
        "fairgate_payment_webhooks_total",
        "Payment webhooks, by verdict",
        "verdict",
        verdict.name().toLowerCase(Locale.ROOT));
  }

  private Counter closes(String result) {
    return metrics.counter(
        "fairgate_payment_closes_total",
        "Orders the provider was asked to close, by answer",
        "result",
        result);
  }

  private Counter refunds(String result) {
    return metrics.counter(
        "fairgate_refund_tries_total", "Refunds tried, by answer", "result", result);
  }
}
