package fairgate.sale.deposit;

import fairgate.catalog.Buyers;
import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.payment.PaymentFeature;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The wiring of deposits.
public final class DepositFeature implements AutoCloseable {
  private final PaymentFeature payment;
  private final DepositService service;
  private final DepositRoutes routes;
  private final DepositJob job;

  private DepositFeature(Stores stores, Ports ports) {
    this.payment = ports.payment();
    PostgresDeposits store = new PostgresDeposits(stores.database());
    PutDepositScript put = new PutDepositScript(stores.redis(), stores.style());
    EndDepositsScript end = new EndDepositsScript(stores.redis(), stores.style());
    payment.setDeposits(new DepositBook(store, put, end));
    this.service =
        new DepositService(
            store, ports.catalog(), ports.buyers(), ports.devices(), ports.ids(), ports.clock());
    this.routes = new DepositRoutes(service, payment::usersOf, payment.service()::paymentUrl);
    this.job =
        new DepositJob(
            store,
            put,
            end,
            new DepositJob.Deadlines(payment::endUnpaid, payment::isProviderFailing),
            ports.isUsed(),
            product -> ports.catalog().apply(product).filter(Product::isByDraw).isPresent(),
            stores.database().changes()::resting);
  }

  /// The stores of deposits.
  public record Stores(RedisClient redis, SaleKeys.Style style, PostgresDatabase database) {}

  /// The dependencies of deposits on other features.
  ///
  /// @param isUsed whether any sale asks for a deposit
  /// @param devices the hash of a device in a sale
  public record Ports(
      PaymentFeature payment,
      Function<ProductId, Optional<Product>> catalog,
      BooleanSupplier isUsed,
      Buyers buyers,
      BiFunction<ProductId, DeviceId, String> devices,
      Ids ids,
      Clock clock) {}

  /// Creates the parts; nothing runs before `start`. Payment knows deposits from then on.
  public static DepositFeature wire(Stores stores, Ports ports) {
    return new DepositFeature(stores, ports);
  }

  public DepositService service() {
    return service;
  }

  /// The open deposit of a request's sender in a sale. Blocks.
  public Optional<Deposit> openOf(Request request, ProductId product) {
    return service.openOf(product, payment.usersOf(request, product).await());
  }

  /// The payment page of a deposit; null when it is paid or has lapsed.
  public @Nullable String paymentUrl(Deposit deposit) {
    return payment.service().paymentUrl(deposit.asOrder());
  }

  public List<Route> routes() {
    return routes.routes();
  }

  /// Starts the job that ends deposits.
  public void start() {
    job.start();
  }

  @Override
  public void close() {
    job.close();
  }
}
