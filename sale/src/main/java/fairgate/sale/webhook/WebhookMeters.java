package fairgate.sale.webhook;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.concurrent.atomic.AtomicLong;

/// `fairgate_webhooks_total` by outcome of the delivery, and the number of pending messages.
record WebhookMeters(Counter delivered, Counter repeated, Counter failed, AtomicLong waiting) {
  static WebhookMeters of(Metrics metrics) {
    AtomicLong waiting = new AtomicLong();
    metrics.gauge("fairgate_webhooks_waiting", "Webhooks that wait to be taken", waiting::get);
    return new WebhookMeters(
        counter(metrics, "delivered"),
        counter(metrics, "repeated"),
        counter(metrics, "failed"),
        waiting);
  }

  private static Counter counter(Metrics metrics, String outcome) {
    return metrics.counter("fairgate_webhooks", "Deliveries of webhooks", "outcome", outcome);
  }
}
