package fairgate.sale.deposit;

import fairgate.catalog.Buyers;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Deposits for buyers. Blocks: for virtual threads.
public final class DepositService {
  private final PostgresDeposits store;
  private final Function<ProductId, Optional<Product>> catalog;
  private final Buyers buyers;
  private final BiFunction<ProductId, DeviceId, String> devices;
  private final Ids ids;
  private final Clock clock;

  /// @param devices the hash of a device in a sale
  DepositService(
      PostgresDeposits store,
      Function<ProductId, Optional<Product>> catalog,
      Buyers buyers,
      BiFunction<ProductId, DeviceId, String> devices,
      Ids ids,
      Clock clock) {
    this.store = store;
    this.catalog = catalog;
    this.buyers = buyers;
    this.devices = devices;
    this.ids = ids;
    this.clock = clock;
  }

  /// How many deposits have a state, and their amount in minor units.
  ///
  /// @param refunded of those that are returned, how many are back, in `amountRefunded`
  public record Sum(long count, long amount, long refunded, long amountRefunded) {
    public static final Sum NONE = new Sum(0, 0, 0, 0);
  }

  /// The outcome of a request for a deposit.
  public sealed interface Outcome {
    /// The buyer's open deposit, to be paid or paid already.
    record Open(Deposit deposit) implements Outcome {}

    /// The buyer cannot join this sale, or needs no deposit.
    record Refused(Refusal refusal) implements Outcome {}
  }

  /// Opens a deposit for the sender of a request. A repeat returns the same as long as it is open.
  public Outcome open(Request request, ProductId id) {
    Product product = catalog.apply(id).orElse(null);
    if (product == null) {
      return refused(ErrorCode.PRODUCT_NOT_FOUND);
    }
    SalePolicy.PaymentRule rule = product.policy().payment();
    SalePolicy.Deposit deposit = rule.deposit();
    if (deposit == null) {
      return refused(ErrorCode.DEPOSIT_NOT_FOUND);
    }
    if (product.stateAt(clock.instant()) == ProductState.CLOSED) {
      return refused(ErrorCode.SALE_CLOSED);
    }
    if (product.policy().admission().joinsStopped()) {
      return refused(ErrorCode.JOINS_STOPPED);
    }
    if (product.isByDraw() && !store.isDrawOpen(id)) {
      return refused(ErrorCode.SALE_BY_DRAW);
    }
    return switch (buyers.check(request, id, "").await()) {
      case Buyers.Check.Failed(Refusal refusal) -> new Outcome.Refused(refusal);
      case Buyers.Check.Passed passed -> {
        List<String> owners = new ArrayList<>();
        if (passed.user() != null) {
          owners.add(passed.user());
        }
        owners.add(devices.apply(id, request.device().id()));
        yield new Outcome.Open(
            store.open(
                ids.order(id).asDeposit(),
                owners,
                deposit.of(product.details().price()),
                deposit.passed(),
                Duration.ofSeconds(Objects.requireNonNull(rule.windowSeconds()))));
      }
    };
  }

  private static Outcome refused(ErrorCode code) {
    return new Outcome.Refused(Refusal.of(code));
  }

  /// The deposit for its owner; empty for all others.
  ///
  /// @param users the names of the asker in the sale
  public Optional<Deposit> find(OrderId id, List<String> users) {
    return id.isDeposit()
        ? store.find(id).await().filter(deposit -> users.contains(deposit.owner()))
        : Optional.empty();
  }

  /// The open deposit of a buyer in a sale.
  ///
  /// @param users the names of the buyer in the sale
  public Optional<Deposit> openOf(ProductId product, List<String> users) {
    return store.openOf(product, users);
  }

  /// The deposits of a sale by state.
  public Map<Deposit.State, Sum> sums(ProductId product) {
    return store.sums(product);
  }
}
