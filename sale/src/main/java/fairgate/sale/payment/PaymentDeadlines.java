package fairgate.sale.payment;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.payment.OrderScripts.DueScript;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends orders whose payment window is over. Runs on all nodes. One node at a time works on an
/// order; after the lease another one may, when that node died or the provider did not answer.
public final class PaymentDeadlines implements AutoCloseable {
  static final Duration PERIOD = Duration.ofMillis(250);

  /// Longest pause of a sale whose next deadline is later, because an operator may shorten the time
  /// for paying, and a rebuild may restore orders.
  static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  /// Lease of an order that a node took: longer than any call to a provider.
  static final Duration LEASE = Duration.ofSeconds(15);

  /// Time for which a node that sees the provider fail stops payment deadlines, each time.
  private static final Duration STOP = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(PaymentDeadlines.class);
  private static final int MAX_CONCURRENT = 32;
  private static final int STOP_TIMEOUT_S = 6;

  private final OrderBook book;
  private final Settlement settlement;
  private final ProviderHealth health;
  private final AtomicReference<@Nullable OrderId> unanswered = new AtomicReference<>();
  private final Supplier<? extends Collection<ProductId>> products;
  private final Semaphore free = new Semaphore(MAX_CONCURRENT);
  private final PeriodicJob job =
      new PeriodicJob("payment deadlines", PERIOD, () -> pass(this::isAwake));

  /// By `System.nanoTime()`: until then no deadline of the sale passes. A stop is renewed
  /// meanwhile.
  private final Map<ProductId, Long> quietUntil = new ConcurrentHashMap<>();

  private final OutageLog ends =
      new OutageLog(LOG, "orders past their deadlines", Duration.ofSeconds(5));

  /// @param products whose orders are checked, called for each round
  PaymentDeadlines(
      OrderBook book,
      Settlement settlement,
      ProviderHealth health,
      Supplier<? extends Collection<ProductId>> products) {
    this.health = health;
    this.book = book;
    this.settlement = settlement;
    this.products = products;
  }

  /// Starts to check every 250 ms, but no sale before its next deadline. Called once.
  public void start() {
    job.start();
  }

  /// Takes all due orders and starts at most 32 virtual threads for them. Returns after the last
  /// one has started, with the number of orders.
  @CanIgnoreReturnValue
  int pass() {
    return pass(_ -> true);
  }

  private boolean isAwake(ProductId product) {
    Long until = quietUntil.get(product);
    return health.isFailing() || until == null || System.nanoTime() - until >= 0;
  }

  @CanIgnoreReturnValue
  private int pass(Predicate<ProductId> isAwake) {
    restWithoutOrders(isAwake);
    int taken = 0;
    int round;
    Map<String, ServiceUnavailable> away = new HashMap<>();
    do {
      // A small batch per product and round, so that no product waits for another one.
      round = 0;
      for (ProductId product : products.get()) {
        round += job.isStopping() || !isAwake.test(product) ? 0 : take(product, away);
      }
      taken += round;
    } while (round > 0);
    for (ServiceUnavailable failure : away.values()) {
      throw failure;
    }
    return taken;
  }

  /// Lets sales rest that have no unpaid order. They are read together: there may be many of them,
  /// and nothing to take. Sales that cannot be read do not rest.
  private void restWithoutOrders(Predicate<ProductId> isAwake) {
    if (health.isFailing()) {
      return;
    }
    List<ProductId> awake = products.get().stream().filter(isAwake).toList();
    List<Future<DueScript.Due>> replies = book.deadlines(awake);
    for (int i = 0; i < awake.size(); i++) {
      try {
        DueScript.Due due = replies.get(i).await();
        if (due.pending() == 0) {
          rest(awake.get(i), due);
        }
      } catch (RuntimeException e) {
        LOG.debug("Could not read the next deadline; productId={}", awake.get(i), e);
      }
    }
  }

  private void rest(ProductId product, DueScript.Due due) {
    long pause = Math.min(due.quietMillis(), LONGEST_PAUSE.toMillis());
    quietUntil.put(product, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause));
  }

  /// Waits until no order is in progress.
  boolean awaitIdle(Duration longest) {
    try {
      boolean idle = free.tryAcquire(MAX_CONCURRENT, longest.toMillis(), TimeUnit.MILLISECONDS);
      if (idle) {
        free.release(MAX_CONCURRENT);
      }
      return idle;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /// @param away the Redis nodes that do not answer; their sales are skipped
  private int take(ProductId product, Map<String, ServiceUnavailable> away) {
    String node = book.node(product);
    try {
      return away.containsKey(node) ? 0 : take(product);
    } catch (ServiceUnavailable e) {
      away.put(node, e);
      return 0;
    }
  }

  private int take(ProductId product) {
    // Takes only as many as can start at once, so that no lease ends in a queue.
    free.acquireUninterruptibly();
    int room = 1 + free.drainPermits();
    DueScript.Due due = new DueScript.Due(0, 0, List.of());
    try {
      due = book.due(product, room, LEASE, health.isFailing() ? STOP : Duration.ZERO).await();
      rest(product, due);
    } finally {
      free.release(room - due.orders().size());
    }
    for (OrderId order : due.orders()) {
      BlockingWork.startBackground("payment-deadline", () -> end(order));
    }
    if (due.pending() > 0 && health.needsProbe()) {
      BlockingWork.startBackground("payment-probe", this::probe);
    }
    return due.orders().size();
  }

  /// Finds out whether the provider answers. A provider without a call for that is asked again
  /// about an order that it did not answer for.
  private void probe() {
    if (!settlement.probe()) {
      OrderId order = unanswered.get();
      if (order == null) {
        // Nothing can be asked. Deadlines go on until calls fail again.
        health.succeeded();
      } else {
        free.acquireUninterruptibly();
        end(order);
      }
    }
  }

  private void end(OrderId order) {
    try {
      Settlement.Result result = settlement.end(order, ReleaseOutcome.Reason.EXPIRED);
      LOG.debug("Order ended at its payment deadline; orderId={} result={}", order, result);
      if (result == Settlement.Result.OPEN) {
        unanswered.set(order);
      } else {
        boolean _ = unanswered.compareAndSet(order, null);
      }
      ends.worked();
    } catch (ServiceUnavailable e) {
      LOG.debug("Could not end an order at its payment deadline yet; orderId={}", order, e);
      ends.waits(e);
    } catch (RuntimeException e) {
      LOG.error("Could not end an order at its payment deadline; orderId={}", order, e);
    } finally {
      free.release();
    }
  }

  /// Takes no more orders and waits a few seconds for those in progress.
  @Override
  public void close() {
    job.close();
    if (!awaitIdle(Duration.ofSeconds(STOP_TIMEOUT_S))) {
      LOG.warn("Stopping with orders past their deadlines; another node will end them");
    }
  }
}
