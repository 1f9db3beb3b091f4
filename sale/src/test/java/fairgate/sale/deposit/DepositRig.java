package fairgate.sale.deposit;

import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy.DepositEnd;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.deposit.DepositBook.PutDepositScript;
import fairgate.sale.payment.OrderBook;
import fairgate.sale.payment.Payment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Deposits on a real Redis and PostgreSQL, for tests of other packages.
public final class DepositRig {
  private final PostgresDeposits store;
  private final EndDepositsScript end;
  private final DepositBook deposits;
  private final DepositJob job;

  /// @param closes ends an unpaid deposit
  public DepositRig(
      PostgresDatabase database,
      RedisClient redis,
      OrderBook book,
      Consumer<OrderId> closes,
      Predicate<ProductId> byDraw) {
    this.store = new PostgresDeposits(database);
    PutDepositScript put = new PutDepositScript(redis, SaleKeys.Style.PLAIN);
    this.end = new EndDepositsScript(redis, SaleKeys.Style.PLAIN);
    this.deposits = new DepositBook(store, put, end);
    book.setDeposits(deposits);
    this.job =
        new DepositJob(
            store,
            put,
            end,
            new DepositJob.Deadlines(closes, () -> false),
            () -> true,
            byDraw,
            _ -> () -> {});
  }

  public Deposit open(
      OrderId id, List<String> owners, Money amount, DepositEnd passed, Duration time) {
    return store.open(id, owners, amount, passed, time);
  }

  public Optional<Deposit> openOf(ProductId product, List<String> owners) {
    return store.openOf(product, owners);
  }

  public Optional<Deposit> find(OrderId id) {
    return store.find(id).await();
  }

  /// Books a payment and stops before Redis is told.
  public String payWithoutRedis(OrderId id, Payment payment) {
    return store.pay(id, payment).name();
  }

  public boolean lapse(OrderId id) {
    return store.lapse(id);
  }

  /// What the script says of a deposit.
  public String endInRedis(OrderId id) {
    return end.run(List.of(id)).await().getFirst().name();
  }

  /// The provider took the money back; the node stops when Redis knows it and PostgreSQL does not.
  public void stopInReversal(OrderId id, Payment payment) {
    boolean _ =
        store.reversed(
            id,
            payment,
            "dispute",
            () -> {
              var _ = end.endAtOnce(id).await();
              throw new IllegalStateException("the node stops");
            });
  }

  /// As its buyer asks.
  public void giveBack(Deposit deposit) {
    deposits.giveBack(deposit);
  }

  public int giveBack(OrderId id) {
    return store.giveBack(List.of(id));
  }

  public int pass(OrderId id) {
    return store.pass(List.of(id));
  }

  /// A pass of the job; whether any deposit is open.
  public boolean pass() {
    return job.pass();
  }

  public Map<Deposit.State, DepositService.Sum> sums(ProductId product) {
    return store.sums(product);
  }
}
