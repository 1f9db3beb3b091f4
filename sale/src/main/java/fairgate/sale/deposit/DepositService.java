package fairgate.sale.deposit;

import fairgate.catalog.Buyers;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.sale.payment.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Deposits for buyers. Blocks: for virtual threads, unless it says otherwise.
public final class DepositService {
  private final PostgresDeposits store;
  private final DepositBook book;
  private final DepositStandings standings;
  private final DepositFeature.Ports ports;

  DepositService(
      PostgresDeposits store,
      DepositBook book,
      DepositStandings standings,
      DepositFeature.Ports ports) {
    this.store = store;
    this.book = book;
    this.standings = standings;
    this.ports = ports;
  }

  /// How many deposits have a state, and their amount in minor units.
  ///
  /// @param refunded of those that are returned, how many are back, in `amountRefunded`
  public record Sum(long count, long amount, long refunded, long amountRefunded) {
    public static final Sum NONE = new Sum(0, 0, 0, 0);
  }

  public sealed interface Outcome {
    /// The buyer's deposit: open, or as it has ended.
    record Open(Deposit deposit) implements Outcome {}

    /// The buyer cannot join this sale, or needs no deposit; or the deposit cannot be given back.
    record Refused(Refusal refusal) implements Outcome {}
  }

  /// Opens a deposit for the sender of a request, if it could join with one now. A repeat returns
  /// the same as long as it is open; one that is paid is returned in any case.
  public Outcome open(Request request, ProductId id) {
    Product product = ports.catalog().apply(id).orElse(null);
    if (product == null) {
      return refused(ErrorCode.PRODUCT_NOT_FOUND);
    }
    SalePolicy.PaymentRule rule = product.policy().payment();
    SalePolicy.Deposit deposit = rule.deposit();
    if (deposit == null) {
      return refused(ErrorCode.DEPOSIT_NOT_FOUND);
    }
    if (product.stateAt(ports.clock().instant()) == ProductState.CLOSED) {
      return refused(ErrorCode.SALE_CLOSED);
    }
    if (product.policy().admission().joinsStopped()) {
      return refused(ErrorCode.JOINS_STOPPED);
    }
    if (product.isByDraw() && !store.isDrawOpen(id).await()) {
      return refused(ErrorCode.SALE_BY_DRAW);
    }
    return switch (ports.buyers().check(request, id, "").await()) {
      case Buyers.Check.Failed(Refusal refusal) -> new Outcome.Refused(refusal);
      case Buyers.Check.Passed passed -> {
        List<String> owners = new ArrayList<>();
        if (passed.user() != null) {
          owners.add(passed.user());
        }
        owners.add(ports.devices().apply(id, request.device().id()));
        Deposit paid =
            store
                .openOf(id, owners)
                .filter(open -> open.state() == Deposit.State.PAID)
                .orElse(null);
        if (paid != null) {
          yield new Outcome.Open(paid);
        }
        Optional<Refusal> refusal =
            ports.joins().judge(request, id, passed.user()).await().refusal();
        yield refusal.isPresent()
            ? new Outcome.Refused(refusal.get())
            : new Outcome.Open(
                store.open(
                    ports.ids().order(id).asDeposit(),
                    owners,
                    deposit.of(product.details().price()),
                    deposit.passed(),
                    Duration.ofSeconds(Objects.requireNonNull(rule.windowSeconds()))));
      }
    };
  }

  /// Gives a deposit back with which nobody has joined: one that is not paid is cancelled at the
  /// provider. A repeat changes nothing.
  ///
  /// @param users the names of the asker in the sale
  public Outcome giveBack(OrderId id, List<String> users) {
    Deposit deposit = find(id, users).orElse(null);
    if (deposit != null && deposit.state() == Deposit.State.PENDING) {
      ports.payment().endUnpaid(id);
      deposit = find(id, users).orElse(null);
    }
    if (deposit != null && deposit.state() == Deposit.State.PAID) {
      book.giveBack(deposit);
      deposit = find(id, users).orElse(null);
    }
    return switch (deposit) {
      case null -> refused(ErrorCode.DEPOSIT_NOT_FOUND);
      case Deposit over when over.isBack() -> new Outcome.Open(over);
      // The provider does not say whether it is paid.
      case Deposit open when open.state() == Deposit.State.PENDING ->
          refused(ErrorCode.PAYMENT_PROVIDER_UNAVAILABLE);
      case Deposit kept -> {
        ErrorCode code = ErrorCode.DEPOSIT_STATE_CONFLICT;
        yield new Outcome.Refused(Refusal.of(code).with("status", kept.state().word()));
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

  /// The deposit that an order has used, which its asker may see.
  public Optional<Deposit> of(Order.DepositPart used) {
    return store.find(used.id()).await();
  }

  /// The deposit that an order has used, once the ledger has the order.
  public Optional<Deposit> ofOrder(OrderId order) {
    return store.ofOrder(order);
  }

  public Optional<Deposit> find(OrderId id) {
    return store.find(id).await();
  }

  public List<Deposit> ofPayment(String payment) {
    return store.ofPayment(payment);
  }

  /// The session of the place or of the draw's entry that has a paid deposit; empty for none, and
  /// after the place has an order.
  public Optional<SessionId> placeOf(Deposit deposit) {
    return standings.place(deposit).await();
  }

  public Map<Deposit.State, Sum> sums(ProductId product) {
    return store.sums(product);
  }
}
