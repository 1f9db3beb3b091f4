package fairgate.operator;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.VIEWER;

import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.operator.OrderFilter.BuyerReferences;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.live.LiveFeature;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.queue.Invitations;
import fairgate.queue.SaleNotices;
import fairgate.sale.SaleService;
import fairgate.sale.SaleSync;
import fairgate.sale.deposit.DepositService;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.receipt.Receipts;
import fairgate.sale.webhook.WebhookFeature;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Wires the part of the admin API that no feature has: `/api/admin/...`, for operators with a
/// suitable role.
///
/// @param exports limits an operator to one export at a time
public record OperatorFeature(LiveFeature live, ExportLock exports, List<Route> routes) {
  private static final int PRODUCT_BODY = 256 * 1024;

  public OperatorFeature {
    routes = List.copyOf(routes);
  }

  /// Dependencies of the admin API.
  ///
  /// @param lock limits an operator to one export at a time
  /// @param verifiable whether buyers can verify what a sale would count
  public record Dependencies(
      Catalog catalog,
      SaleSync sync,
      SaleService sales,
      Orders orders,
      ProcessingLock lock,
      AuditLog audit,
      Clock clock,
      Invited invited,
      Watching watching,
      List<SettingsAdmin.Line> settings,
      Predicate<SalePolicy.Identity> verifiable) {}

  /// The live view, the reports, and what operators tell those who wait.
  public record Watching(LiveFeature live, SaleNotices notices) {}

  /// Services for orders.
  public record Orders(
      Ledger ledger,
      PaymentFeature payment,
      DepositService deposits,
      WebhookFeature webhooks,
      Receipts receipts,
      Buyers buyers) {}

  /// Services for invitations.
  public record Invited(Invitations invitations, VerifiedIdentities identities) {}

  private static ProductAdmin products(Dependencies parts) {
    return new ProductAdmin(
        parts.catalog(),
        parts.sync(),
        parts.sales(),
        parts.verifiable(),
        parts.orders().payment()::problem,
        parts.clock(),
        new SecureRandom());
  }

  /// Builds the API.
  ///
  /// @param access finds the operator of each request
  public static OperatorFeature wire(AccessFeature access, Dependencies parts) {
    AdminGuard admin = new AdminGuard(parts.audit());
    List<Route> routes = new ArrayList<>();
    routes.addAll(products(admin, products(parts)));
    Watching watching = parts.watching();
    routes.addAll(
        new WatchAdmin(
                parts.catalog(), watching.live(), watching.notices(), access.guard(), parts.clock())
            .routes(admin));
    ExportLock exports = new ExportLock(parts.lock());
    routes.addAll(orders(parts, exports).routes(admin));
    Invited invited = parts.invited();
    routes.addAll(
        new InvitationAdmin(parts.catalog(), invited.invitations(), invited.identities())
            .routes(admin));
    routes.addAll(new AuditAdmin(parts.audit(), parts.clock()).routes(admin));
    routes.addAll(new SettingsAdmin(parts.settings()).routes(admin));
    routes.addAll(new OperatorAdmin(access.operators(), access.credentials()).routes(admin));
    routes.addAll(new OwnAdmin(access, parts.clock()).routes(admin));
    return new OperatorFeature(watching.live(), exports, routes);
  }

  private static List<Route> products(AdminGuard admin, ProductAdmin products) {
    List<Route> routes = new ArrayList<>();
    routes.add(
        Route.blockingGet(
                "/api/admin/products", admin.guard(AdminInput.query("live"), products::list))
            .roles(VIEWER));
    routes.add(
        Route.blockingPost("/api/admin/products", admin.guard(ProductBody.INPUT, products::create))
            .roles(SELLER)
            .withBodyLimit(PRODUCT_BODY));
    routes.add(
        Route.blockingGet("/api/admin/products/{id}", admin.guard(products::one)).roles(VIEWER));
    routes.add(
        Route.blockingPut(
                "/api/admin/products/{id}", admin.guard(ProductBody.INPUT, products::replace))
            .roles(SELLER)
            .withBodyLimit(PRODUCT_BODY));
    routes.add(
        Route.blockingPatch(
                "/api/admin/products/{id}", admin.guard(ProductBody.INPUT, products::change))
            .roles(SELLER)
            .withBodyLimit(PRODUCT_BODY));
    for (ProductState.Step step : ProductState.Step.values()) {
      Handler.Blocking handler = request -> products.step(request, step);
      routes.add(
          Route.blockingPost("/api/admin/products/{id}/" + step.word(), admin.guard(handler))
              .roles(SELLER)
              .withReason(step == ProductState.Step.CLOSE));
    }
    routes.add(
        Route.blockingPost(
                "/api/admin/products/{id}/stock",
                admin.guard(AdminInput.body("quantity", "key"), products::stock))
            .roles(SELLER));
    routes.add(
        Route.blockingGet("/api/admin/products/{id}/live", admin.guard(products::live))
            .roles(VIEWER));
    return routes;
  }

  private static OrderAdmin orders(Dependencies parts, ExportLock exports) {
    Orders orders = parts.orders();
    return new OrderAdmin(
        orders.ledger(),
        orders.payment(),
        orders.deposits(),
        new OrderAdmin.Messages(orders.webhooks().messages(), orders.receipts()),
        new BuyerReferences(parts.invited().identities(), orders.buyers(), parts.catalog()),
        parts.audit(),
        exports);
  }
}
