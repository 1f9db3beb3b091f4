package fairgate.sale.deposit;

import fairgate.catalog.Buyers;
import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.deposit.DepositBook.PutDepositScript;
import fairgate.sale.payment.PaymentFeature;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
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
  private final DepositStandings standings;
  private final DepositRoutes routes;
  private final DepositJob job;

  private DepositFeature(Stores stores, Ports ports) {
    this.payment = ports.payment();
    PostgresDeposits store = new PostgresDeposits(stores.database());
    PutDepositScript put = new PutDepositScript(stores.redis(), stores.style());
    EndDepositsScript end = new EndDepositsScript(stores.redis(), stores.style());
    DepositBook book = new DepositBook(store, put, end);
    payment.setDeposits(book);
    this.standings = new DepositStandings(stores.redis(), stores.style(), store, ports);
    this.service = new DepositService(store, book, standings, ports);
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

  public record Stores(RedisClient redis, SaleKeys.Style style, PostgresDatabase database) {}

  /// The dependencies of deposits on other features.
  ///
  /// @param isUsed whether any sale asks for a deposit
  /// @param devices the hash of a device in a sale
  /// @param joins tells who could join with a deposit
  public record Ports(
      PaymentFeature payment,
      Function<ProductId, Optional<Product>> catalog,
      BooleanSupplier isUsed,
      Buyers buyers,
      BiFunction<ProductId, DeviceId, String> devices,
      Joins joins,
      Ids ids,
      Clock clock) {}

  /// The prospect of a join.
  ///
  /// @param refusal that it would get, whatever its challenge; empty if it lacks at most a deposit
  /// @param deposit the id of the buyer's deposit that no place has had; empty for none or unknown
  public record Prospect(Optional<Refusal> refusal, String deposit) {}

  /// Tells who could join with a deposit. Gives no place; never blocks.
  public interface Joins {
    /// By the rules of the sale alone. Changes nothing.
    ///
    /// @param user as whom the sale counts the sender of the request; null for a guest
    Future<Prospect> look(Request request, ProductId product, @Nullable String user);

    /// By the gate as well, before a buyer pays.
    Future<Prospect> judge(Request request, ProductId product, @Nullable String user);
  }

  /// Tells why a buyer cannot make an entry in the draw of a sale; empty for one who can, and for a
  /// sale without an open draw. Never blocks.
  @FunctionalInterface
  public interface EntryCheck {
    /// Without draws.
    EntryCheck NONE = (_, _, _) -> Future.succeededFuture(Optional.empty());

    /// @param user as whom the sale counts the buyer; null for a guest
    Future<Optional<Refusal>> refusal(ProductId product, DeviceId device, @Nullable String user);
  }

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

  /// What pages tell visitors about their deposits.
  public DepositStandings standings() {
    return standings;
  }

  /// The deposit of the visitor of a sale's page, as `GET /api/deposits/{id}` shows it, if there is
  /// one, and `offered`: whether a deposit would give the visitor a place. Empty for a sale without
  /// deposits. Never blocks.
  ///
  /// @param place the visitor's place in this sale; null for none
  /// @param isLive whether the place has not ended
  public Future<Optional<String>> shown(
      Request request, ProductId product, @Nullable SessionId place, boolean isLive) {
    return standings.find(request, product, place, isLive).map(found -> found.map(this::shown));
  }

  private String shown(DepositStandings.Standing standing) {
    Deposit deposit = standing.deposit();
    JsonText json = deposit == null ? JsonText.object() : routes.json(deposit);
    return new String(json.put("offered", standing.offered()).bytes(), StandardCharsets.UTF_8);
  }

  public List<Route> routes() {
    return routes.routes();
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return new DepositAdmin(service, payment.refunds()).routes(admin);
  }

  public void start() {
    job.start();
  }

  @Override
  public void close() {
    job.close();
  }
}
