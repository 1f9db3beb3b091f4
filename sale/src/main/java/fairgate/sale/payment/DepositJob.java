package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ends deposits: those that were not paid in time, and those whose buyer can no longer buy with
/// them. The refunds that follow are those of [Refunds]. Runs on all nodes; a repeat changes
/// nothing, so it may stop at any step.
final class DepositJob implements AutoCloseable {
  /// Interval between passes while a sale has open deposits.
  private static final Duration PERIOD = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(DepositJob.class);
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final int BATCH_SIZE = 500;
  private static final int MAX_CONCURRENT = 32;

  private final PostgresDeposits store;
  private final DepositScripts scripts;
  private final Settlement settlement;
  private final ProviderHealth health;
  private final PeriodicJob job;

  /// @param resting makes a pass rest while nothing is written to the database
  DepositJob(
      PostgresDeposits store,
      DepositScripts scripts,
      Settlement settlement,
      ProviderHealth health,
      Function<BooleanSupplier, Runnable> resting) {
    this.store = store;
    this.scripts = scripts;
    this.settlement = settlement;
    this.health = health;
    this.job = new PeriodicJob("deposits", PERIOD, resting.apply(this::pass));
  }

  void start() {
    job.start();
  }

  /// Returns whether any deposit is open.
  boolean pass() {
    List<ProductId> products = store.products();
    if (products.isEmpty()) {
      return false;
    }
    endUnpaid();
    for (ProductId product : products) {
      try {
        endPaid(product);
      } catch (ServiceUnavailable e) {
        LOG.debug("Deposits of a sale wait; productId={}", product, e);
      }
    }
    return true;
  }

  /// The provider closes first, so that a deposit that was paid meanwhile is paid. While the
  /// provider fails, buyers keep their time.
  private void endUnpaid() {
    List<OrderId> due;
    do {
      due = health.isFailing() ? List.of() : store.takeDue(MAX_CONCURRENT, LEASE);
      BlockingWork.forEach("deposit-deadline", due, this::endUnpaid);
    } while (!job.isStopping() && due.size() == MAX_CONCURRENT);
  }

  private void endUnpaid(OrderId id) {
    try {
      Settlement.Result result = settlement.end(id, ReleaseOutcome.Reason.EXPIRED);
      LOG.debug("Deposit ended at its payment deadline; depositId={} result={}", id, result);
    } catch (ServiceUnavailable e) {
      LOG.debug("Could not end an unpaid deposit yet; depositId={}", id, e);
    } catch (RuntimeException e) {
      LOG.error("Could not end an unpaid deposit; depositId={}", id, e);
    }
  }

  private void endPaid(ProductId product) {
    String after = "";
    List<Deposit> page;
    do {
      page = store.paid(product, after, BATCH_SIZE);
      if (!page.isEmpty()) {
        end(page);
        after = page.getLast().id().value();
      }
    } while (!job.isStopping() && page.size() == BATCH_SIZE);
  }

  /// Redis ends them first: from then on no join and no purchase can use them.
  private void end(List<Deposit> deposits) {
    List<DepositScripts.End> ends =
        scripts.end(deposits.stream().map(Deposit::id).toList()).await();
    List<OrderId> back = new ArrayList<>();
    List<OrderId> passed = new ArrayList<>();
    List<Future<Boolean>> lost = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      Deposit deposit = deposits.get(i);
      switch (ends.get(i)) {
        case WAIT, ORDER -> {}
        case RETURN -> back.add(deposit.id());
        case PASSED -> passed.add(deposit.id());
        case MISSING -> lost.add(scripts.put(deposit));
      }
    }
    var _ = Future.all(lost).await();
    int ended = store.giveBack(back) + store.pass(passed);
    if (ended > 0) {
      LOG.info("Deposits ended; returned={} passed={}", back.size(), passed.size());
    }
  }

  @Override
  public void close() {
    job.close();
  }
}
