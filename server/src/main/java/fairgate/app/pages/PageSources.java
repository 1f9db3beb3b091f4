package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// What the pages show. Every answer is the JSON that the API gives for the same thing, so that a
/// page and the API never tell two stories.
public record PageSources(
    Products products, ProductById product, PlaceBySession place, OrderById order) {

  /// All products to be listed, in their order: `GET /api/products`, one text per product.
  @FunctionalInterface
  public interface Products {
    Future<List<String>> all();
  }

  /// One product: `GET /api/products/{id}`.
  @FunctionalInterface
  public interface ProductById {
    Future<Optional<String>> find(ProductId product);
  }

  /// One place: `GET /api/queue/status`. Counts as a sign of life of the visitor.
  @FunctionalInterface
  public interface PlaceBySession {
    Future<Optional<String>> find(SessionId session);
  }

  /// One order, only for the one who made the request: `GET /api/orders/{id}`.
  @FunctionalInterface
  public interface OrderById {
    Future<Optional<String>> find(Request request, OrderId order);
  }
}
