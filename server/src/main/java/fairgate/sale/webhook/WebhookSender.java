package fairgate.sale.webhook;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import fairgate.sale.webhook.PostgresDeliveries.Due;
import fairgate.sale.webhook.WebhookClient.Delivery;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends pending messages. Runs on all nodes; one node at a time works on a message. A message is
/// sent under the same id until it is accepted or given up, so a receiver may get it more than once
/// and out of order.
final class WebhookSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookSender.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration KEPT = Duration.ofDays(30);
  private static final int AT_ONCE = 64;

  /// Number of periods between clean-ups of the table.
  private static final int UPKEEP = 60;

  private final Vertx vertx;
  private final PostgresDeliveries deliveries;
  private final WebhookClient client;
  private final WebhookConfig config;
  private final WebhookMeters meters;
  private final AtomicBoolean running = new AtomicBoolean();
  private final OutageLog outage = new OutageLog(LOG, "order webhooks");
  private final OutageLog sending =
      new OutageLog(LOG, "order webhooks that are due", Duration.ofSeconds(5));
  private volatile boolean closed;
  private long timer = -1;
  private int periods;

  WebhookSender(
      Vertx vertx,
      PostgresDeliveries deliveries,
      WebhookClient client,
      WebhookConfig config,
      WebhookMeters meters) {
    this.vertx = vertx;
    this.deliveries = deliveries;
    this.client = client;
    this.config = config;
    this.meters = meters;
  }

  /// Starts to check every second. Called once.
  void start() {
    timer =
        vertx.setPeriodic(
            PERIOD.toMillis(),
            _ -> {
              if (!closed && running.compareAndSet(false, true)) {
                Thread _ = Thread.ofVirtual().name("webhooks").start(this::guardedPass);
              }
            });
  }

  /// Sends the due messages and returns their number.
  int pass() {
    List<Due> batch = deliveries.take(AT_ONCE, LEASE);
    List<Thread> threads = new ArrayList<>();
    for (Due due : batch) {
      threads.add(Thread.ofVirtual().name("webhook").start(() -> guarded(due)));
    }
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    return batch.size();
  }

  private void guardedPass() {
    try {
      while (!closed && pass() == AT_ONCE) {
        LOG.debug("more webhooks may be due");
      }
      if (periods++ % UPKEEP == 0) {
        meters.waiting().set(deliveries.waiting());
        int _ = deliveries.forget(KEPT);
      }
      outage.worked();
    } catch (ServiceUnavailable e) {
      outage.waits(e);
    } catch (RuntimeException e) {
      LOG.error("webhooks", e);
    } finally {
      running.set(false);
    }
  }

  private void guarded(Due due) {
    try {
      settle(due, client.send(due.id(), due.body()));
      sending.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("webhook {} will be sent again", due.id(), e);
      sending.waits(e);
    } catch (RuntimeException e) {
      LOG.error("webhook {}", due.id(), e);
    }
  }

  private void settle(Due due, Delivery delivery) {
    switch (delivery) {
      case Delivery.Taken(String answer) -> {
        deliveries.done(due, answer);
        meters.delivered().increment();
      }
      case Delivery.Unwanted(String answer) -> giveUp(due, answer);
      case Delivery.Open(String answer, Duration wait) -> {
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

  private void giveUp(Due due, String answer) {
    deliveries.failed(due, answer);
    meters.failed().increment();
    LOG.error("webhook {} is given up after {} tries: {}", due.id(), due.tries(), answer);
  }

  /// Stops sending.
  @Override
  public void close() {
    closed = true;
    if (timer >= 0) {
      boolean _ = vertx.cancelTimer(timer);
    }
    client.close();
  }
}
