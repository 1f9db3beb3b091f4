package fairgate.operator;

import fairgate.catalog.Catalog;
import fairgate.catalog.SaleStep;
import fairgate.gate.ban.BanService;
import fairgate.gate.signature.ApiKeys;
import fairgate.link.LinkService;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.transfer.TransferFeature;
import fairgate.sale.SaleService;
import fairgate.sale.SaleSync;
import fairgate.sale.ledger.Ledger;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The admin API, put together: `/api/admin/...`, for the operator's bearer token.
public record OperatorFeature(List<Route> routes) {
  private static final int PRODUCT_BODY = 256 * 1024;
  private static final Duration EXPORT_DEADLINE = Duration.ofSeconds(30);

  public OperatorFeature {
    routes = List.copyOf(routes);
  }

  /// What operators act on.
  public record Parts(
      Catalog catalog,
      SaleSync sync,
      SaleService sales,
      Ledger ledger,
      Guarded gate,
      Codes codes,
      LinkService links,
      AuditLog audit,
      Clock clock) {}

  /// Who is kept out, and the keys of programs that are let in.
  public record Guarded(BanService bans, ApiKeys apiKeys) {}

  /// Redemption codes, the files orders come from and codes go into, and what lets an operator take
  /// out one of these at a time.
  public record Codes(RedeemFeature redeem, TransferFeature transfer, ProcessingLock lock) {}

  /// Builds the API.
  ///
  /// @param operatorToken empty = nobody is an operator
  public static OperatorFeature wire(String operatorToken, Parts parts) {
    OperatorToken token = new OperatorToken(operatorToken, new AdminActs(parts.audit()));
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
    BanAdmin bans = new BanAdmin(parts.gate().bans());
    routes.add(Route.blockingGet("/api/admin/bans", token.guard(bans::list)));
    routes.add(Route.blockingPost("/api/admin/bans", token.guard(bans::add)));
    routes.add(Route.blockingDelete("/api/admin/bans/{id}", token.guard(bans::lift)));
    ApiKeyAdmin keys = new ApiKeyAdmin(parts.gate().apiKeys(), parts.clock());
    routes.add(Route.blockingGet("/api/admin/api-keys", token.guard(keys::list)));
    routes.add(Route.blockingPost("/api/admin/api-keys", token.guard(keys::create)));
    routes.add(Route.blockingDelete("/api/admin/api-keys/{id}", token.guard(keys::revoke)));
    routes.addAll(codes(token, parts.codes()));
    routes.addAll(links(token, new LinkAdmin(parts.links())));
    AuditAdmin audit = new AuditAdmin(parts.audit(), parts.clock());
    routes.add(Route.blockingGet("/api/admin/audit", token.guard(audit::search)));
    routes.add(
        Route.blockingGet("/api/admin/audit.csv", token.guard(audit::export))
            .withDeadline(EXPORT_DEADLINE));
    return new OperatorFeature(routes);
  }

  private static List<Route> codes(OperatorToken token, Codes codes) {
    List<Route> routes = new ArrayList<>(new RedeemAdmin(codes.redeem()).routes(token::guard));
    routes.addAll(new ImportAdmin(codes.transfer().imports()).routes(token));
    ExportTurn turn = new ExportTurn(codes.lock());
    routes.addAll(new ExportAdmin(codes.transfer().exports(), turn).routes(token));
    return routes;
  }

  private static List<Route> links(OperatorToken token, LinkAdmin links) {
    return List.of(
        Route.blockingPost("/api/admin/links/{code}/ban", token.guard(links::ban)),
        Route.blockingPost("/api/admin/links/{code}/unban", token.guard(links::lift)),
        Route.blockingGet("/api/admin/links/hosts", token.guard(links::hosts)),
        Route.blockingPost("/api/admin/links/hosts", token.guard(links::banHost)),
        Route.blockingDelete("/api/admin/links/hosts/{host}", token.guard(links::liftHost)));
  }
}
