package fairgate.sale.deposit;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.deposit.DepositBook.PutDepositScript;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
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
  private final PutDepositScript put;
  private final EndDepositsScript end;
  private final Deadlines deadlines;
  private final Predicate<ProductId> isByDraw;
  private final BooleanSupplier isUsed;
  private final PeriodicJob job;

  /// Whether the last pass found an open deposit. Those of a sale that asks for none any more are
  /// found by the first pass.
  private boolean anyOpen = true;

  /// What ends unpaid deposits.
  ///
  /// @param end closes a deposit at the provider and acts on its reply
  /// @param isProviderFailing whether the provider fails, so that buyers keep their time
  record Deadlines(Consumer<OrderId> end, BooleanSupplier isProviderFailing) {}

  /// @param isUsed whether any sale asks for a deposit; while none does, nothing is read
  /// @param isByDraw whether the places of a sale are drawn
  /// @param resting makes a pass rest while nothing is written to the database
  DepositJob(
      PostgresDeposits store,
      PutDepositScript put,
      EndDepositsScript end,
      Deadlines deadlines,
      BooleanSupplier isUsed,
      Predicate<ProductId> isByDraw,
      Function<BooleanSupplier, Runnable> resting) {
    this.store = store;
    this.put = put;
    this.end = end;
    this.deadlines = deadlines;
    this.isByDraw = isByDraw;
    this.isUsed = isUsed;
    this.job = new PeriodicJob("deposits", PERIOD, resting.apply(this::pass));
  }

  void start() {
    job.start();
  }

  boolean pass() {
    if (!anyOpen && !isUsed.getAsBoolean()) {
      return false;
    }
    List<ProductId> products = store.products();
    anyOpen = !products.isEmpty();
    if (!anyOpen) {
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

  /// The provider closes first, so that a deposit that was paid meanwhile is paid.
  private void endUnpaid() {
    List<OrderId> due;
    do {
      boolean waits = deadlines.isProviderFailing().getAsBoolean();
      due = waits ? List.of() : store.takeDue(MAX_CONCURRENT, LEASE);
      BlockingWork.forEach("deposit-deadline", due, this::endUnpaid);
    } while (!job.isStopping() && due.size() == MAX_CONCURRENT);
  }

  private void endUnpaid(OrderId id) {
    try {
      deadlines.end().accept(id);
    } catch (ServiceUnavailable e) {
      LOG.debug("Could not end an unpaid deposit yet; depositId={}", id, e);
    } catch (RuntimeException e) {
      LOG.error("Could not end an unpaid deposit; depositId={}", id, e);
    }
  }

  private void endPaid(ProductId product) {
    endPages(after -> store.paid(product, after, BATCH_SIZE), end::run);
    if (isByDraw.test(product)) {
      endPages(after -> store.paidInOverDraw(product, after, BATCH_SIZE), end::endUnused);
    }
  }

  private void endPages(
      Function<String, List<Deposit>> pages,
      Function<List<OrderId>, Future<List<EndDepositsScript.End>>> script) {
    String after = "";
    List<Deposit> page;
    do {
      page = pages.apply(after);
      if (!page.isEmpty()) {
        endPage(page, script.apply(page.stream().map(Deposit::id).toList()).await());
        after = page.getLast().id().value();
      }
    } while (!job.isStopping() && page.size() == BATCH_SIZE);
  }

  /// Redis has ended them: from then on no join and no purchase can use them.
  private void endPage(List<Deposit> deposits, List<EndDepositsScript.End> ends) {
    List<OrderId> back = new ArrayList<>();
    List<OrderId> passed = new ArrayList<>();
    List<Future<Boolean>> lost = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      Deposit deposit = deposits.get(i);
      switch (ends.get(i)) {
        case WAIT, ORDER, GONE -> {}
        case RETURN -> back.add(deposit.id());
        case PASSED -> passed.add(deposit.id());
        case MISSING -> lost.add(put.run(deposit));
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
