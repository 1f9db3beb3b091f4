package fairgate.catalog;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.VIEWER;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// What buyers read about a product. Every method blocks.
final class ContentAdmin {
  private final Catalog catalog;

  ContentAdmin(Catalog catalog) {
    this.catalog = catalog;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/products/{id}/content", admin.guard(this::one)).roles(VIEWER),
        Route.blockingPut(
                "/api/admin/products/{id}/content",
                admin.guard(AdminInput.document(), this::replace))
            .roles(SELLER)
            .withBodyLimit(ContentJson.MAX_BYTES));
  }

  private Reply one(Request request) {
    return id(request)
        .flatMap(catalog::find)
        .map(ContentAdmin::shown)
        .orElseGet(ContentAdmin::unknown);
  }

  /// Replaces the content. It is no part of the sale: nothing else changes, in any state.
  private Reply replace(Request request) {
    // Refuses text that no page can show and PostgreSQL cannot store.
    var _ = request.json();
    ContentJson.Outcome read = ContentJson.read(new String(request.body(), StandardCharsets.UTF_8));
    if (!read.problems().isEmpty()) {
      throw PolicyProblem.invalid("", read.problems());
    }
    return id(request)
        .flatMap(id -> catalog.describe(id, read.content()))
        .map(ContentAdmin::shown)
        .orElseGet(ContentAdmin::unknown);
  }

  private static Reply shown(Product product) {
    return Reply.json(
        200,
        JsonText.object()
            .put("product_id", product.id().value())
            .putRaw("content", ContentJson.write(product.content()))
            .bytes());
  }

  private static Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
  }

  private static Optional<ProductId> id(Request request) {
    return Optional.of(request.pathParam("id")).filter(ProductId::isValid).map(ProductId::new);
  }
}
