package fairgate.sale.payment;

import fairgate.platform.observe.Metrics;

/// What is counted about payments. `fairgate_payments_total{result="unknown_order"}` and
/// `fairgate_refunds_total{result="refused"}` are money nobody can place: alert on them.
final class PaymentMetrics {
  private final Metrics metrics;

  PaymentMetrics(Metrics metrics) {
    this.metrics = metrics;
  }

  /// A payment was booked, or could not be.
  void booked(ConfirmOutcome outcome) {
    String result =
        switch (outcome) {
          case ConfirmOutcome.Confirmed(boolean late) -> late ? "late" : "confirmed";
          case ConfirmOutcome.AlreadyPaid() -> "repeated";
          case ConfirmOutcome.RefundDue() -> "refund_due";
          case ConfirmOutcome.UnknownOrder() -> "unknown_order";
        };
    metrics
        .counter("fairgate_payments_total", "Payments told of, by result", "result", result)
        .increment();
  }

  /// A webhook was judged.
  void webhook(String verdict) {
    metrics
        .counter(
            "fairgate_payment_webhooks_total", "Payment webhooks, by verdict", "verdict", verdict)
        .increment();
  }

  /// The provider was asked to close.
  void closed(PaymentProvider.CloseOutcome outcome) {
    String result =
        switch (outcome) {
          case PaymentProvider.CloseOutcome.Closed() -> "closed";
          case PaymentProvider.CloseOutcome.Paid(Payment _) -> "paid";
          case PaymentProvider.CloseOutcome.Unknown(String _) -> "unknown";
        };
    metrics
        .counter(
            "fairgate_payment_closes_total",
            "Orders the provider was asked to close, by answer",
            "result",
            result)
        .increment();
  }

  /// A refund was tried.
  void refund(PaymentProvider.RefundOutcome outcome) {
    String result =
        switch (outcome) {
          case PaymentProvider.RefundOutcome.Refunded() -> "refunded";
          case PaymentProvider.RefundOutcome.Refused(String _) -> "refused";
          case PaymentProvider.RefundOutcome.Unknown(String _) -> "unknown";
        };
    metrics
        .counter("fairgate_refunds_total", "Refunds tried, by answer", "result", result)
        .increment();
  }
}
