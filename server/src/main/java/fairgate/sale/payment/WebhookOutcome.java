package fairgate.sale.payment;

/// What a gateway's message came to.
public sealed interface WebhookOutcome {
  /// The fact is kept, now or before. A repeat gets the same answer.
  record Accepted() implements WebhookOutcome {}

  /// No secret of ours signed it, or it is too old.
  record Unauthorized() implements WebhookOutcome {}

  /// It is genuine and names an order nobody knows.
  record UnknownOrder() implements WebhookOutcome {}
}
