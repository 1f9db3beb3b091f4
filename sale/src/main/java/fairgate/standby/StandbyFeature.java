package fairgate.standby;

import fairgate.catalog.Catalog;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.queue.JoinGate;
import fairgate.queue.QueueService;
import fairgate.sale.SaleService;
import java.time.Clock;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;

/// The wiring of waiting lists. Nothing is offered before `start`.
public final class StandbyFeature implements AutoCloseable {
  private final Dependencies parts;
  private final StandbyService service;
  private final StandbyList list;
  private final StandbyOffers offers;

  private StandbyFeature(Dependencies parts) {
    this.parts = parts;
    PostgresStandby entries = new PostgresStandby(parts.postgres());
    this.service =
        new StandbyService(
            entries,
            parts.catalog(),
            parts.queue(),
            parts.sales(),
            parts.ids(),
            parts.judge(),
            parts.pardons());
    this.list = new StandbyList(new PostgresStandbyList(parts.postgres()), entries);
    this.offers =
        new StandbyOffers(
            entries,
            parts.queue(),
            parts.sales(),
            parts.notice(),
            new StandbyOffers.Meters(parts.metrics()),
            parts.clock());
  }

  /// The dependencies of waiting lists.
  ///
  /// @param notice tells people about their offers
  /// @param judge judges the risk of registrations
  /// @param pardons knows the decisions on risk against which an appeal was granted
  public record Dependencies(
      PostgresDatabase postgres,
      Catalog catalog,
      QueueService queue,
      SaleService sales,
      OfferNotice notice,
      Function<QueueService.JoinRequest, JoinGate.Verdict> judge,
      BiPredicate<Db, String> pardons,
      Metrics metrics,
      Ids ids,
      Clock clock) {}

  public static StandbyFeature wire(Dependencies parts) {
    return new StandbyFeature(parts);
  }

  public StandbyService service() {
    return service;
  }

  public StandbyList list() {
    return list;
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return Stream.of(
            new StandbyAdmin(list, parts.catalog()).routes(admin),
            new SeatAdmin(parts.queue(), list, parts.metrics()).routes(admin))
        .flatMap(List::stream)
        .toList();
  }

  /// Looks at the list of a sale soon: its queue knows of somebody on it, and nobody has repeated
  /// that.
  public void ask(ProductId product) {
    offers.ask(product);
  }

  /// Starts to offer units that came back. Called once.
  public void start() {
    offers.start();
  }

  @Override
  public void close() {
    offers.close();
  }

  /// Tells people that units are reserved for them.
  @FunctionalInterface
  public interface OfferNotice {
    /// Adds the message within the transaction that ends the entry.
    void add(Db db, StandbyEntry entry, OrderId order);
  }
}
