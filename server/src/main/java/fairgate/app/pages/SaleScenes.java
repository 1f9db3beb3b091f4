package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.Optional;

/// Gathers what a sale's page shows: the product, the visitor's place in it, and his order.
final class SaleScenes {
  private final PageSources sources;

  SaleScenes(PageSources sources) {
    this.sources = sources;
  }

  /// None when there is no such product.
  ///
  /// @param problem why the last act was refused
  Future<Optional<SaleScene>> of(
      Request request, Visit visit, ProductId id, Optional<String> problem) {
    return sources
        .product()
        .find(id)
        .compose(
            product ->
                product.isEmpty()
                    ? Future.succeededFuture(Optional.empty())
                    : of(request, visit, id, Fields.of(product.get()), problem));
  }

  private Future<Optional<SaleScene>> of(
      Request request, Visit visit, ProductId id, Fields product, Optional<String> problem) {
    return place(visit, id)
        .compose(
            place ->
                order(request, place)
                    .map(order -> Optional.of(new SaleScene(product, place, order, problem))));
  }

  /// The visitor's place, if it is one of this sale.
  private Future<Optional<Fields>> place(Visit visit, ProductId product) {
    return visit
        .session()
        .map(session -> sources.place().find(session))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()))
        .map(
            json ->
                json.map(Fields::of)
                    .filter(place -> place.text("product_id").equals(product.value())));
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
