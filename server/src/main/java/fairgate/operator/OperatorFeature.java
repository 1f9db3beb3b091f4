package fairgate.operator;

import fairgate.catalog.Catalog;
import fairgate.catalog.SaleStep;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Route;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.transfer.TransferFeature;
import fairgate.sale.SaleService;
import fairgate.sale.SaleSync;
import fairgate.sale.ledger.Ledger;
import java.util.ArrayList;
import java.util.List;

/// The admin API, put together: `/api/admin/...`, for the operator's bearer token.
public record OperatorFeature(List<Route> routes) {
  private static final int PRODUCT_BODY = 256 * 1024;

  public OperatorFeature {
    routes = List.copyOf(routes);
  }

  /// What operators act on.
  public record Parts(
      Catalog catalog,
      SaleSync sync,
      SaleService sales,
      Ledger ledger,
      RedeemFeature redeem,
      TransferFeature transfer) {}

  /// Builds the API.
  ///
  /// @param operatorToken empty = nobody is an operator
  public static OperatorFeature wire(String operatorToken, Parts parts) {
    OperatorToken token = new OperatorToken(operatorToken);
    ProductAdmin products = new ProductAdmin(parts.catalog(), parts.sync(), parts.sales());
    OrderAdmin orders = new OrderAdmin(parts.ledger());
    List<Route> routes = new ArrayList<>();
    routes.add(Route.blockingGet("/api/admin/products", token.guard(products::list)));
    routes.add(
        Route.blockingPost("/api/admin/products", token.guard(products::create))
            .withBodyLimit(PRODUCT_BODY));
    routes.add(Route.blockingGet("/api/admin/products/{id}", token.guard(products::one)));
    routes.add(
        Route.blockingPut("/api/admin/products/{id}", token.guard(products::update))
            .withBodyLimit(PRODUCT_BODY));
    for (SaleStep step : SaleStep.values()) {
      BlockingHandler handler = request -> products.step(request, step);
      routes.add(
          Route.blockingPost("/api/admin/products/{id}/" + step.word(), token.guard(handler)));
    }
    routes.add(Route.blockingPost("/api/admin/products/{id}/stock", token.guard(products::stock)));
    routes.add(Route.blockingGet("/api/admin/products/{id}/live", token.guard(products::live)));
    routes.add(Route.blockingGet("/api/admin/orders", token.guard(orders::list)));
    routes.addAll(new RedeemAdmin(parts.redeem()).routes(token::guard));
    routes.addAll(new ImportAdmin(parts.transfer().imports()).routes(token));
    routes.addAll(new ExportAdmin(parts.transfer().exports()).routes(token));
    return new OperatorFeature(routes);
  }
}
