package fairgate.operator;

import fairgate.account.CredentialService;
import fairgate.account.identity.VerifiedIdentities;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.SalePolicy;
import fairgate.catalog.SaleStep;
import fairgate.gate.appeal.AppealService;
import fairgate.gate.ban.BanService;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.signal.HotClients;
import fairgate.gate.signature.ApiKeys;
import fairgate.link.LinkService;
import fairgate.operator.access.AccessFeature;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.queue.QueueService;
import fairgate.queue.invitation.Invitations;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.transfer.TransferFeature;
import fairgate.room.RoomFeature;
import fairgate.sale.SaleService;
import fairgate.sale.SaleSync;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Wires the admin API: `/api/admin/...`, for operators with a suitable role.
public record OperatorFeature(List<Route> routes) {
  private static final int PRODUCT_BODY = 256 * 1024;
  private static final Duration EXPORT_DEADLINE = Duration.ofSeconds(30);

  public OperatorFeature {
    routes = List.copyOf(routes);
  }

  /// Dependencies of the admin API.
  ///
  /// @param verifiable whether buyers can verify what a sale would count
  public record Dependencies(
      Catalog catalog,
      SaleSync sync,
      SaleService sales,
      Orders orders,
      Guarded gate,
      QueueService queue,
      Codes codes,
      LinkService links,
      AuditLog audit,
      Clock clock,
      Invited invited,
      RoomFeature rooms,
      Predicate<SalePolicy.Identity> verifiable) {}

  /// Services for orders.
  public record Orders(
      Ledger ledger, PaymentFeature payment, WebhookFeature webhooks, Buyers buyers) {}

  /// Services for invitations.
  public record Invited(Invitations invitations, VerifiedIdentities identities) {}

  /// Services for bans, appeals, API keys, passwords and the risk policy, and the clients with the
  /// most refused requests.
  public record Guarded(
      BanService bans,
      AppealService appeals,
      ApiKeys apiKeys,
      CredentialService credentials,
      PolicyService policies,
      HotClients hot) {}

  /// Services for redemption codes, imports and exports, and the lock that limits an operator to
  /// one export at a time.
  public record Codes(RedeemFeature redeem, TransferFeature transfer, ProcessingLock lock) {}

  /// Builds the API.
  ///
  /// @param access finds the operator of each request
  public static OperatorFeature wire(AccessFeature access, Dependencies parts) {
    OperatorToken token = new OperatorToken(new ActionRecorder(parts.audit()));
    ProductAdmin products =
        new ProductAdmin(parts.catalog(), parts.sync(), parts.sales(), parts.verifiable());
    List<Route> routes = new ArrayList<>();
    routes.add(Route.blockingGet("/api/admin/products", token.guard(products::list)));
    routes.add(
        Route.blockingPost("/api/admin/products", token.guard(ProductBody.INPUT, products::create))
            .withBodyLimit(PRODUCT_BODY));
    routes.add(Route.blockingGet("/api/admin/products/{id}", token.guard(products::one)));
    routes.add(
        Route.blockingPut(
                "/api/admin/products/{id}", token.guard(ProductBody.INPUT, products::replace))
            .withBodyLimit(PRODUCT_BODY));
    routes.add(
        Route.blockingPatch(
                "/api/admin/products/{id}", token.guard(ProductBody.INPUT, products::change))
            .withBodyLimit(PRODUCT_BODY));
    for (SaleStep step : SaleStep.values()) {
      BlockingHandler handler = request -> products.step(request, step);
      routes.add(
          Route.blockingPost("/api/admin/products/{id}/" + step.word(), token.guard(handler)));
    }
    routes.add(
        Route.blockingPost(
            "/api/admin/products/{id}/stock",
            token.guard(AdminInput.body("quantity", "key"), products::stock)));
    routes.add(Route.blockingGet("/api/admin/products/{id}/live", token.guard(products::live)));
    routes.addAll(orders(parts).routes(token));
    routes.addAll(new MoneyAdmin(parts.orders().payment()).routes(token));
    Invited invited = parts.invited();
    routes.addAll(
        new InvitationAdmin(parts.catalog(), invited.invitations(), invited.identities())
            .routes(token));
    routes.addAll(new SeatAdmin(parts.queue()).routes(token));
    BanAdmin bans = new BanAdmin(parts.gate().bans());
    routes.add(
        Route.blockingGet(
            "/api/admin/bans",
            token.guard(
                AdminInput.query("effect", "kind", "value", "past", "before", "limit"),
                bans::list)));
    routes.add(
        Route.blockingPost(
            "/api/admin/bans",
            token.guard(
                AdminInput.body("effect", "kind", "value", "reason", "duration_seconds"),
                bans::add)));
    routes.add(Route.blockingDelete("/api/admin/bans/{id}", token.guard(bans::lift)));
    routes.addAll(new PolicyAdmin(parts.gate().policies()).routes(token));
    routes.addAll(new AppealAdmin(parts.gate().appeals(), parts.audit()).routes(token));
    ApiKeyAdmin keys = new ApiKeyAdmin(parts.gate().apiKeys(), parts.clock());
    routes.add(Route.blockingGet("/api/admin/api-keys", token.guard(keys::list)));
    routes.add(
        Route.blockingPost(
            "/api/admin/api-keys",
            token.guard(AdminInput.body("name", "expires_at"), keys::create)));
    routes.add(Route.blockingDelete("/api/admin/api-keys/{id}", token.guard(keys::revoke)));
    routes.addAll(new HotClientAdmin(parts.gate().hot()).routes(token));
    routes.addAll(new RoomAdmin(parts.rooms()).routes(token));
    routes.addAll(new AccountAdmin(parts.gate().credentials()).routes(token));
    routes.addAll(codes(token, parts.codes()));
    routes.addAll(links(token, new LinkAdmin(parts.links())));
    AuditAdmin audit = new AuditAdmin(parts.audit(), parts.clock());
    routes.add(Route.blockingGet("/api/admin/audit", token.guard(AuditAdmin.INPUT, audit::search)));
    routes.add(
        Route.blockingGet("/api/admin/audit.csv", token.guard(AuditAdmin.INPUT, audit::export))
            .withDeadline(EXPORT_DEADLINE));
    routes.addAll(new OperatorAdmin(access.operators(), access.credentials()).routes(token));
    routes.addAll(new OwnAdmin(access.credentials(), access.signIn(), parts.clock()).routes(token));
    return new OperatorFeature(routes.stream().map(access.guard()::restrict).toList());
  }

  private static OrderAdmin orders(Dependencies parts) {
    Orders orders = parts.orders();
    return new OrderAdmin(
        orders.ledger(),
        orders.payment().refunds(),
        orders.webhooks().messages(),
        new BuyerReferences(parts.invited().identities(), orders.buyers(), parts.catalog()),
        parts.audit(),
        new ExportLock(parts.codes().lock()));
  }

  private static List<Route> codes(OperatorToken token, Codes codes) {
    List<Route> routes = new ArrayList<>(new RedeemAdmin(codes.redeem()).routes(token));
    routes.addAll(new ImportAdmin(codes.transfer().imports()).routes(token));
    ExportLock lock = new ExportLock(codes.lock());
    routes.addAll(new ExportAdmin(codes.transfer().exports(), lock).routes(token));
    return routes;
  }

  private static List<Route> links(OperatorToken token, LinkAdmin links) {
    return List.of(
        Route.blockingPost(
            "/api/admin/links/{code}/ban", token.guard(AdminInput.body("reason"), links::ban)),
        Route.blockingPost("/api/admin/links/{code}/unban", token.guard(links::lift)),
        Route.blockingGet("/api/admin/links/hosts", token.guard(links::hosts)),
        Route.blockingPost(
            "/api/admin/links/hosts",
            token.guard(AdminInput.body("host", "reason"), links::banHost)),
        Route.blockingDelete("/api/admin/links/hosts/{host}", token.guard(links::liftHost)));
  }
}
