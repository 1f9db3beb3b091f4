package fairgate.app.pages;

import fairgate.catalog.ProductContent;
import fairgate.gate.policy.RulesInWords;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import fairgate.platform.text.Language;
import fairgate.queue.JoinGate.Entrance;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The data of the pages. Every response is the JSON that the API returns for the same object, so
/// that page and API always agree.
public record PageSources(
    Products products,
    ProductById product,
    PlaceBySession place,
    OrderById order,
    DepositOfVisitor deposit,
    RulesByLanguage rules,
    RoomBySale room,
    ContentById content) {

  /// All listed products in order: `GET /api/products`, one text per product.
  @FunctionalInterface
  public interface Products {
    Future<List<String>> all();
  }

  /// One product: `GET /api/products/{id}`.
  @FunctionalInterface
  public interface ProductById {
    Future<Optional<String>> find(ProductId product);
  }

  /// The queue position: `GET /api/queue/status`. Counts as presence of the visitor.
  @FunctionalInterface
  public interface PlaceBySession {
    Future<Optional<String>> find(SessionId session);
  }

  /// The rules of risk in words; [RulesInWords#NONE] when risk is not judged.
  @FunctionalInterface
  public interface RulesByLanguage {
    RulesInWords find(Language language);
  }

  /// The waiting room before a sale; empty for none.
  @FunctionalInterface
  public interface RoomBySale {
    Optional<Entrance.Before> find(ProductId product, Request request);
  }

  /// What buyers read about a product; [ProductContent#EMPTY] for unknown products. From memory.
  @FunctionalInterface
  public interface ContentById {
    ProductContent find(ProductId product);
  }

  /// The visitor's deposit, as `GET /api/deposits/{deposit_id}`, if there is one, and `offered`:
  /// whether a deposit would give the visitor a place. Empty for a sale without deposits.
  @FunctionalInterface
  public interface DepositOfVisitor {
    /// @param place the visitor's place in this sale; null for none
    /// @param isLive whether the place has not ended
    Future<Optional<String>> find(
        Request request, ProductId product, @Nullable SessionId place, boolean isLive);
  }

  /// An order of the caller: `GET /api/orders/{id}`.
  @FunctionalInterface
  public interface OrderById {
    Future<Optional<String>> find(Request request, OrderId order);
  }
}
