package fairgate.operator;

import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.operator.OrderFilter.BuyerReferences;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.live.LiveFeature;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.queue.Invitations;
import fairgate.queue.SaleNotices;
import fairgate.sale.deposit.DepositService;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.receipt.Receipts;
import fairgate.sale.webhook.WebhookFeature;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/// Wires the part of the admin API that no feature has: `/api/admin/...`, for operators with a
/// suitable role.
///
/// @param exports limits an operator to one export at a time
public record OperatorFeature(LiveFeature live, ExportLock exports, List<Route> routes) {
  public OperatorFeature {
    routes = List.copyOf(routes);
  }

  /// Dependencies of the admin API.
  ///
  /// @param lock limits an operator to one export at a time
  public record Dependencies(
      Catalog catalog,
      Orders orders,
      ProcessingLock lock,
      AuditLog audit,
      Clock clock,
      Invited invited,
      Watching watching,
      List<SettingsAdmin.Line> settings) {}

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

  /// Builds the API.
  ///
  /// @param access finds the operator of each request
  public static OperatorFeature wire(AccessFeature access, Dependencies parts) {
    AdminGuard admin = new AdminGuard(parts.audit());
    List<Route> routes = new ArrayList<>();
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
