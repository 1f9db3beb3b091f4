package fairgate.sale.webhook;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.webhook.PostgresDeliveries.DueDelivery;
import fairgate.sale.webhook.WebhookClient.Delivery;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends pending messages. Runs on all nodes; one node at a time works on a message. A message is
/// sent under the same id until it is accepted or given up, so a receiver may get it more than once
/// and out of order.
final class WebhookSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration RETENTION = Duration.ofDays(30);
  private static final int BATCH_SIZE = 64;

  private static final int PERIODS_BETWEEN_CLEANUPS = 60;

  private final PostgresDeliveries deliveries;
  private final WebhookClient client;
  private final WebhookConfig config;
  private final Meters meters;
  private final PeriodicJob job = new PeriodicJob("order webhooks", PERIOD, this::run);
  private final OutageLog sending =
      new OutageLog(LOG, "order webhooks that are due", Duration.ofSeconds(5));
  private int periods;

  WebhookSender(
      PostgresDeliveries deliveries, WebhookClient client, WebhookConfig config, Meters meters) {
    this.deliveries = deliveries;
    this.client = client;
    this.config = config;
    this.meters = meters;
  }

  /// Starts to check every second. Called once.
  void start() {
    job.start();
  }

  /// Sends the due messages and returns their number.
  int pass() {
    List<DueDelivery> batch = deliveries.take(BATCH_SIZE, LEASE);
    BlockingWork.forEach("webhook", batch, this::guarded);
    return batch.size();
  }

  private void run() {
    while (!job.isStopping() && pass() == BATCH_SIZE) {
      LOG.debug("Sending another batch of webhooks");
    }
    if (periods++ % PERIODS_BETWEEN_CLEANUPS == 0) {
      meters.waiting().set(deliveries.waiting());
      int _ = deliveries.forget(RETENTION);
    }
  }

  private void guarded(DueDelivery due) {
    try {
      settle(due, client.send(due.id(), due.body()));
      sending.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("Webhook will be sent again; id={}", due.id(), e);
      sending.waits(e);
    } catch (RuntimeException e) {
      LOG.error("Could not send webhook; id={}", due.id(), e);
    }
  }

  private void settle(DueDelivery due, Delivery delivery) {
    switch (delivery) {
      case Delivery.Accepted(String answer) -> {
        deliveries.done(due, answer);
        meters.delivered().increment();
      }
      case Delivery.Gone(String answer) -> giveUp(due, answer);
      case Delivery.RetryLater(String answer, Duration wait) -> {
        if (due.tries() > config.waits().size()) {
          giveUp(due, answer);
        } else {
          Duration own = config.waits().get(due.tries() - 1);
          deliveries.postpone(due, own.compareTo(wait) > 0 ? own : wait, answer);
          meters.repeated().increment();
        }
      }
    }
  }

  private void giveUp(DueDelivery due, String answer) {
    deliveries.failed(due, answer);
    meters.failed().increment();
    LOG.error("Giving up on webhook; id={} tries={} answer={}", due.id(), due.tries(), answer);
  }

  @Override
  public void close() {
    job.close();
    client.close();
  }

  /// `fairgate_webhooks_total` by outcome of the delivery, and the number of pending messages.
  record Meters(Counter delivered, Counter repeated, Counter failed, AtomicLong waiting) {
    static Meters of(Metrics metrics) {
      AtomicLong waiting = new AtomicLong();
      metrics.gauge("fairgate_webhooks_waiting", "Webhooks that wait to be taken", waiting::get);
      return new Meters(
          counter(metrics, "delivered"),
          counter(metrics, "repeated"),
          counter(metrics, "failed"),
          waiting);
    }

    private static Counter counter(Metrics metrics, String outcome) {
      return metrics.counter("fairgate_webhooks", "Deliveries of webhooks", "outcome", outcome);
    }
  }
}
