package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import fairgate.platform.page.Visit;
import io.vertx.core.Future;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Loads the data of a sale's page: the product, the visitor's place, and the visitor's order.
record SaleViewLoader(PageSources sources) {
  private static final Logger LOG = LoggerFactory.getLogger(SaleViewLoader.class);

  /// Empty when the product does not exist.
  ///
  /// @param problem reason why the last action was refused
  Future<Optional<SaleView>> of(
      Request request, Visit visit, ProductId id, Optional<SaleView.Problem> problem) {
    return sources
        .product()
        .find(id)
        .compose(
            product ->
                product.isEmpty()
                    ? Future.succeededFuture(Optional.empty())
                    : of(request, visit, id, Fields.of(product.get()), problem));
  }

  private Future<Optional<SaleView>> of(
      Request request,
      Visit visit,
      ProductId id,
      Fields product,
      Optional<SaleView.Problem> problem) {
    return place(visit, id)
        .compose(
            place ->
                order(request, place)
                    .compose(
                        order ->
                            deposit(request, id, place)
                                .map(
                                    deposit ->
                                        Optional.of(
                                            new SaleView(
                                                product, place, order, deposit, problem)))));
  }

  /// Without it, the page shows all else.
  private Future<Optional<Fields>> deposit(Request request, ProductId id, Optional<Fields> place) {
    SessionId session =
        place
            .map(it -> it.text("session_id"))
            .filter(SessionId::isValid)
            .map(SessionId::new)
            .orElse(null);
    boolean isLive = place.filter(it -> !it.text("queue_status").equals("expired")).isPresent();
    return sources
        .deposit()
        .find(request, id, session, isLive)
        .otherwise(
            e -> {
              LOG.debug("Could not read the deposit of a visitor; productId={}", id, e);
              return Optional.empty();
            })
        .map(json -> json.map(Fields::of));
  }

  /// The visitor's place in any sale.
  Future<Optional<Fields>> place(Visit visit) {
    return visit
        .session()
        .map(session -> sources.place().find(session))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()))
        .map(json -> json.map(Fields::of));
  }

  /// The visitor's place if it belongs to this sale.
  private Future<Optional<Fields>> place(Visit visit, ProductId product) {
    return place(visit)
        .map(found -> found.filter(place -> place.text("product_id").equals(product.value())));
  }

  private Future<Optional<Fields>> order(Request request, Optional<Fields> place) {
    return place
        .map(fields -> fields.text("order_id"))
        .filter(OrderId::isValid)
        .map(id -> sources.order().find(request, new OrderId(id)))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()))
        .map(json -> json.map(Fields::of));
  }
}
