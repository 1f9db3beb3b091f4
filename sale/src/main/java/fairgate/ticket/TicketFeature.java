package fairgate.ticket;

import static fairgate.platform.http.RouteLimits.READ;

import fairgate.catalog.Catalog;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.BuyerDetails;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The wiring of tickets.
///
/// @param service for buyers
/// @param checkIns for operators
public record TicketFeature(TicketService service, CheckInService checkIns) {
  public record Dependencies(
      PostgresDatabase postgres, Catalog catalog, KeyRing keys, Ids ids, Clock clock) {}

  public static TicketFeature wire(Dependencies parts) {
    PostgresTickets tickets = new PostgresTickets(parts.postgres());
    TicketKeys keys = new TicketKeys(parts.keys());
    TicketService service =
        new TicketService(tickets, keys, parts.keys(), parts.catalog(), parts.ids(), parts.clock());
    return new TicketFeature(service, new CheckInService(tickets, keys, service));
  }

  /// The public keys, for devices and programs that verify tickets themselves.
  public List<Route> routes() {
    return List.of(Route.blockingGet("/api/products/{id}/ticket-keys", this::keys).limits(READ));
  }

  /// Its part of the admin API.
  ///
  /// @param details what buyers gave for their orders, such as the names on tickets
  public List<Route> adminRoutes(
      AdminGuard admin, BuyerDetails details, Catalog catalog, ExportLock lock, Clock clock) {
    return Stream.of(
            new TicketAdmin(service, checkIns, clock).routes(admin),
            new DetailsAdmin(details, service, catalog, lock).routes(admin))
        .flatMap(List::stream)
        .toList();
  }

  private Reply keys(Request request) {
    return Optional.of(request.pathParam("id"))
        .filter(ProductId::isValid)
        .map(ProductId::new)
        .filter(service::isOffered)
        .map(product -> Reply.json(200, service.keys(product)))
        .orElseGet(() -> Reply.refuse(ErrorCode.PRODUCT_NOT_FOUND));
  }
}
