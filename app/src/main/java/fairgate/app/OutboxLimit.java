package fairgate.app;

import fairgate.platform.observe.Health;
import fairgate.platform.observe.Health.Status;
import fairgate.sale.SaleService;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stops sales before the events for the ledger fill Redis: while PostgreSQL is away, they wait in
/// the outboxes. Payments and releases go on, because their orders exist already.
final class OutboxLimit {
  private static final Logger LOG = LoggerFactory.getLogger(OutboxLimit.class);
  private static final long LOOK_MILLIS = 500;

  private final AtomicBoolean full = new AtomicBoolean();
  private final long limit;
  private final LongSupplier waiting;

  private OutboxLimit(long limit, LongSupplier waiting) {
    this.limit = limit;
    this.waiting = waiting;
  }

  /// Watches the outboxes until Vert.x is closed.
  ///
  /// @param limit the number of events at which nothing new is sold
  /// @param waiting the number of events that no relay has delivered
  static void watch(
      Vertx vertx, long limit, LongSupplier waiting, SaleService sales, Health health) {
    OutboxLimit outbox = new OutboxLimit(limit, waiting);
    sales.onFullOutbox(outbox.full::get);
    health.register("outbox", () -> Future.succeededFuture(outbox.status()));
    vertx.setPeriodic(LOOK_MILLIS, _ -> outbox.look());
  }

  private void look() {
    long events = waiting.getAsLong();
    // Sales continue when a tenth is free, so that they do not stop and go on at each event.
    boolean now = events >= limit || (full.get() && events > limit - limit / 10);
    if (full.getAndSet(now) != now) {
      if (now) {
        LOG.error("Selling nothing: too many events wait for the ledger; events={}", events);
      } else {
        LOG.info("Selling again; events={}", events);
      }
    }
  }

  private Status status() {
    return full.get()
        ? Status.down("nothing is sold: " + waiting.getAsLong() + " events wait for the ledger")
        : Status.good();
  }
}
