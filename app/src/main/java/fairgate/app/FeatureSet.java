package fairgate.app;

import fairgate.account.AccountFeature;
import fairgate.account.PasskeyFeature;
import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.VerifiedIdentities;
import fairgate.account.oidc.OidcFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.app.feature.FeatureEntry;
import fairgate.app.pages.CheckInPage;
import fairgate.app.pages.CheckoutPages;
import fairgate.app.pages.DepositPages;
import fairgate.app.pages.DetailsPages;
import fairgate.app.pages.OrderLinkPages;
import fairgate.app.pages.OrderPages;
import fairgate.app.pages.ShopPages;
import fairgate.app.pages.StandbyPages;
import fairgate.app.pages.TicketPages;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.catalog.Product;
import fairgate.gate.GateFeature;
import fairgate.gate.appeal.AppealFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.ban.Networks;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.risk.RiskFeature;
import fairgate.gate.signal.SignalFeature;
import fairgate.gate.signature.SignatureFeature;
import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderDraws;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.operator.OperatorFeature;
import fairgate.operator.SettingsAdmin;
import fairgate.operator.access.AccessFeature;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Decisions;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.page.PageSettings;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.queue.Invitations;
import fairgate.queue.JoinGate.Entrance;
import fairgate.queue.QueueFeature;
import fairgate.queue.ReachGuard;
import fairgate.queue.Seat;
import fairgate.sale.SaleFeature;
import fairgate.sale.SaleService;
import fairgate.sale.deposit.DepositFeature;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.receipt.ReceiptFeature;
import fairgate.sale.webhook.WebhookFeature;
import fairgate.standby.StandbyFeature;
import fairgate.ticket.TicketFeature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// All features, wired by hand.
record FeatureSet(
    Catalog catalog,
    LiveSales live,
    GateFeature gate,
    RiskFeature risk,
    RiskWiring risks,
    BanService bans,
    PolicyService policies,
    AppealFeature appeals,
    Decisions decisions,
    SignatureFeature signatures,
    SignalFeature signals,
    Optional<LimitFeature> limits,
    AccountFeature account,
    OidcFeature oidc,
    Optional<PasskeyFeature> passkeys,
    Optional<IdentityFeature> identity,
    Buyers buyers,
    QueueFeature queue,
    PaymentFeature payment,
    DepositFeature deposits,
    SaleFeature sale,
    WebhookFeature webhooks,
    ReceiptFeature receipts,
    StandbyFeature standby,
    TicketFeature tickets,
    List<Feature> others,
    Entrance entrance,
    Ledger ledger,
    AccessFeature access,
    OperatorFeature operator) {
  private static final int PLACES_SECONDS = 2;

  /// Shared dependencies of the features.
  record ServerContext(
      Vertx vertx,
      Metrics metrics,
      Health health,
      KeyRing keys,
      Stores stores,
      Replaceable parts,
      AuditLog audit,
      Closer closer) {
    Clock clock() {
      return parts.clock();
    }

    Ids ids() {
      return parts.ids();
    }
  }

  static FeatureSet wire(FairgateConfig config, ServerContext context) {
    Catalog catalog = context.closer().add(Catalog.open(context.stores().postgres()));
    LiveSales live = new LiveSales(catalog);
    GateFeature gate = GateWiring.gate(config, context);
    Networks networks = GateWiring.networks(config, context);
    BanService bans = GateWiring.bans(config, networks, context);
    PolicyService policies = RiskWiring.policies(config, context);
    AppealFeature appeals = GateWiring.appeals(catalog, bans, context);
    SignatureFeature signatures = GateWiring.signatures(config, context);
    SignalFeature signals = SignalWiring.signals(config, networks, bans, catalog, context);
    AccountFeature account = AccountWiring.account(config, context);
    OperatorFeature.Invited invited = invited(context);
    Buyers buyers = buyers(account, invited, catalog, context);
    RiskFeature risk = RiskWiring.risk(config, policies, signals.sources(), context);
    RiskWiring risks = new RiskWiring(risk, account, gate.steps());
    var checks = new SaleWiring.JoinChecks(gate, bans, risks, appeals, config.gate().limits().on());
    QueueFeature queue = SaleWiring.queue(config, checks, buyers, catalog, live, context);
    PaymentFeature payment = SaleWiring.payment(config, queue, buyers, catalog, live, context);
    SaleFeature sale = SaleWiring.sale(payment, catalog, live, context);
    Feature.Infra infra = AccountWiring.infra(config, context);
    Decisions decisions = new Decisions(context.keys(), context.clock(), appeals::count);
    var known =
        new FeatureEntry.Features(
            infra,
            account,
            gate,
            bans,
            policies,
            risk.service(),
            catalog,
            buyers,
            context.stores().ledger(),
            SaleWiring.orders(config, context),
            decisions,
            queue,
            sale,
            checks,
            checks.entrance(),
            new OrderDraws.Later(),
            new ArrayList<>());
    List<Feature> others = AccountWiring.others(config, known, context);
    connect(risks, bans, moveBehind(queue, appeals), sale);
    follow(account, bans, queue, live, buyers, others);
    TicketFeature tickets = tickets(account, catalog, buyers, payment, context);
    var identity = AccountWiring.identity(config, account, catalog, gate, bans, context);
    connect(signals, queue, sale, account, identity, risk);
    var deposits = SaleWiring.deposits(payment, queue, sale, others, buyers, catalog, context);
    WebhookFeature webhooks = SaleWiring.webhooks(config, context);
    ReceiptFeature receipts = SaleWiring.receipts(config, identity, others, catalog, context);
    StandbyFeature standby = SaleWiring.standby(queue, sale, receipts, checks, catalog, context);
    connect(appeals, queue, standby, buyers);
    OidcFeature oidc = SignInWiring.oidc(config, account, context);
    AccessFeature access = AccountWiring.operators(config, account, oidc, context);
    var callers = new CountedCallers(bans, access, account);
    return new FeatureSet(
        catalog,
        live,
        gate,
        risk,
        risks,
        bans,
        policies,
        appeals,
        decisions,
        signatures,
        signals,
        GateWiring.limits(config, signatures, networks, callers, context),
        account,
        oidc,
        SignInWiring.passkeys(config, account, gate.steps(), context),
        identity,
        buyers,
        queue,
        payment,
        deposits,
        sale,
        webhooks,
        receipts,
        standby,
        tickets,
        others,
        checks.entrance().get(),
        context.stores().ledger(),
        access,
        operator(
            config,
            access,
            context,
            catalog,
            sale,
            orders(payment, deposits, webhooks, receipts, buyers, context),
            queue,
            infra.lock(),
            invited));
  }

  private static OperatorFeature.Orders orders(
      PaymentFeature payment,
      DepositFeature deposits,
      WebhookFeature webhooks,
      ReceiptFeature receipts,
      Buyers buyers,
      ServerContext context) {
    return new OperatorFeature.Orders(
        context.stores().ledger(),
        payment,
        deposits.service(),
        webhooks,
        receipts.receipts(),
        buyers);
  }

  private static OperatorFeature.Invited invited(ServerContext context) {
    PostgresDatabase postgres = context.stores().postgres();
    return new OperatorFeature.Invited(
        new Invitations(postgres, context.keys(), context.ids()),
        new VerifiedIdentities(postgres, context.keys()));
  }

  private static Buyers buyers(
      AccountFeature account,
      OperatorFeature.Invited invited,
      Catalog catalog,
      ServerContext context) {
    return new SaleBuyers(
        account,
        invited.identities(),
        new SaleTiers(invited.identities(), invited.invitations(), context.clock()),
        catalog,
        context.keys(),
        context.clock());
  }

  /// Connects purchases to the judgement of their risk. Appeals that were granted exempt the
  /// person.
  private static void connect(
      RiskWiring risks, BanService bans, RiskWiring.MoveBehind places, SaleFeature sale) {
    sale.service()
        .onRisk(
            purchase ->
                bans.isExemptAfterAppeal(purchase.caller().get())
                    ? Future.succeededFuture(SaleService.RiskCheck.PASSED)
                    : risks.purchase(purchase, places));
  }

  /// Connects granted appeals to the places and the pauses of the person.
  private static void connect(
      AppealFeature appeals, QueueFeature queue, StandbyFeature standby, Buyers buyers) {
    appeals.onReseat(
        (sale, decision, behind) -> {
          Seat seat = behind ? Seat.BEHIND : Seat.IN_ORDER;
          Seat.Move place = reseat(queue, sale, decision, seat);
          // A place that was given up for the waiting list is there by now.
          var _ = standby.list().reseat(sale, decision, seat).or(place);
        });
    appeals.onEndPause(
        (sale, device, account) -> finish(queue.endPause(sale, device, account, buyers)));
  }

  /// A place that a purchase has moved behind others is a demotion in the table of the sale.
  private static RiskWiring.MoveBehind moveBehind(QueueFeature queue, AppealFeature appeals) {
    return (product, session, decision, seat) ->
        queue
            .service()
            .moveBehind(product, session, decision, seat)
            .onSuccess(
                moved -> {
                  if (moved) {
                    appeals.countDemotion(product, seat.name());
                  }
                });
  }

  private static Seat.Move reseat(
      QueueFeature queue, ProductId product, String decision, Seat seat) {
    try {
      return queue
          .service()
          .reseat(product, decision, seat)
          .await(PLACES_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(PLACES_SECONDS));
    }
  }

  /// A guest who signs in keeps the places of the browser.
  private static void ownPlaces(QueueFeature queue, LiveSales live, String account, Caller caller) {
    DeviceId device = caller.device();
    if (device != null) {
      finish(queue.own(account, device, live.ids()));
    }
  }

  private static void finish(Future<Void> work) {
    try {
      var _ = work.await(PLACES_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis is too slow", Duration.ofSeconds(1));
    }
  }

  private static OperatorFeature operator(
      FairgateConfig config,
      AccessFeature access,
      ServerContext context,
      Catalog catalog,
      SaleFeature sale,
      OperatorFeature.Orders orders,
      QueueFeature queue,
      ProcessingLock lock,
      OperatorFeature.Invited invited) {
    return OperatorFeature.wire(
        access,
        new OperatorFeature.Dependencies(
            catalog,
            orders,
            lock,
            context.audit(),
            context.clock(),
            invited,
            new OperatorFeature.Watching(SaleWiring.live(queue, sale, context), queue.notices()),
            config.values().shown().stream()
                .map(
                    each ->
                        new SettingsAdmin.Line(
                            each.name(), each.value(), each.source(), each.fallback(), each.doc()))
                .toList()));
  }

  /// Connects accounts to what they have: their places, and what other features keep for them.
  private static void follow(
      AccountFeature account,
      BanService bans,
      QueueFeature queue,
      LiveSales live,
      Buyers buyers,
      List<Feature> others) {
    bans.onAccountBan(banned -> queue.giveUp(banned, live.ids(), buyers));
    account
        .credentials()
        .onDeleted(
            gone -> {
              // Before the account's identities are deleted, by which sales may count it.
              finish(queue.giveUp(gone, live.ids(), buyers));
              others.forEach(feature -> feature.onAccountClosed().accept(gone));
            });
    account.onSignedIn((who, caller) -> ownPlaces(queue, live, who, caller));
  }

  /// Tickets. What an account gave for its orders and tickets is erased with the account, before
  /// its identities are deleted, by which sales may count it.
  private static TicketFeature tickets(
      AccountFeature account,
      Catalog catalog,
      Buyers buyers,
      PaymentFeature payment,
      ServerContext context) {
    TicketFeature tickets = SaleWiring.tickets(catalog, context);
    account
        .credentials()
        .onDeleted(
            gone -> {
              Set<String> users = new HashSet<>();
              users.add(gone);
              for (Product product : catalog.all()) {
                buyers.userOf(gone, product.id()).await().ifPresent(users::add);
              }
              payment.details().eraseOf(users);
              tickets.service().eraseOf(users);
            });
    return tickets;
  }

  /// Connects the queue to the sale: a departure or new stock triggers an admission run. Connects
  /// signals and risk to what they observe.
  private static void connect(
      SignalFeature signals,
      QueueFeature queue,
      SaleFeature sale,
      AccountFeature account,
      Optional<IdentityFeature> identity,
      RiskFeature risk) {
    sale.service().onDeparture(queue.loop()::soon);
    sale.sync().onStock(queue.loop()::soon);
    identity.ifPresent(it -> it.service().onChange(risk::forgetHistory));
    queue.joins().add((request, product, session, _) -> signals.joined(request, product, session));
    queue.service().onAccepted(signals::accepted);
    queue.service().onPolled(signals::polled);
    account.onRegistered(signals::registered);
  }

  /// The admin API, without the parts of features with an entry.
  List<Route> adminRoutes(ServerContext context) {
    AdminGuard admin = new AdminGuard(context.audit());
    Clock clock = context.clock();
    return Stream.of(
            operator.routes(),
            catalog.adminRoutes(admin),
            sale.adminRoutes(
                admin,
                catalog,
                kind -> AccountWiring.verifies(identity, kind),
                payment::problem,
                clock),
            payment.adminRoutes(admin),
            deposits.adminRoutes(admin),
            webhooks.adminRoutes(admin, context.ids()),
            tickets.adminRoutes(admin, payment.details(), catalog, operator.exports(), clock),
            standby.adminRoutes(admin),
            bans.adminRoutes(admin),
            policies.adminRoutes(admin),
            risk.adminRoutes(admin, context.audit(), clock),
            appeals.adminRoutes(admin, context.audit()),
            signatures.adminRoutes(admin, clock),
            signals.adminRoutes(admin),
            account.adminRoutes(admin))
        .flatMap(List::stream)
        .toList();
  }

  /// The pages of orders.
  OrderPages orderPages(ShopPages shop, PageSettings settings, Clock clock) {
    return new OrderPages(
        shop,
        payment,
        new OrderPages.Books(
            ledger, receipts.contacts(), receipts.links(), tickets.service(), deposits),
        catalog,
        settings,
        clock);
  }

  /// The pages of orders for links of messages.
  OrderLinkPages orderLinkPages(ShopPages shop, PageSettings settings, Clock clock) {
    return new OrderLinkPages(
        shop,
        new OrderLinkPages.Services(payment, receipts.links(), tickets.service(), catalog),
        settings,
        clock);
  }

  /// The pages of waiting lists.
  StandbyPages standbyPages(ShopPages shop, PageSettings settings, Clock clock) {
    return new StandbyPages(
        shop,
        new StandbyPages.Services(standby.service(), queue.service(), buyers, catalog),
        settings,
        clock);
  }

  /// The pages of deposits.
  DepositPages depositPages(ShopPages shop, PageSettings settings, Clock clock) {
    return new DepositPages(shop, deposits, catalog, settings, clock);
  }

  /// The pages of tickets.
  ///
  /// @param baseUrl the address of this server as buyers see it; empty takes the one that it
  ///   listens on
  TicketPages ticketPages(ShopPages shop, PageSettings settings, String baseUrl, Clock clock) {
    return new TicketPages(
        shop,
        new TicketPages.Services(payment, tickets.service(), catalog),
        settings,
        baseUrl,
        clock);
  }

  /// The page of the entrance of an event.
  CheckInPage checkInPage(PageSettings settings, Clock clock) {
    return new CheckInPage(access, tickets.service(), catalog, settings, clock);
  }

  /// The pages that ask buyers for details.
  DetailsPages detailsPages(ShopPages shop, PageSettings settings, Clock clock) {
    return new DetailsPages(shop, payment, settings, clock);
  }

  /// The way to payment pages of the provider.
  CheckoutPages checkoutPages(
      ShopPages shop, PageSettings settings, FairgateConfig config, Clock clock) {
    return new CheckoutPages(shop, payment, catalog, settings, config.baseUrl(), clock);
  }

  /// The chain of guards before a request. Bans judge first, then signatures, then limits; device
  /// keys wrap them and judge last. `ReachGuard` tells the queue that browsers reach this server.
  Guard guard() {
    return ReachGuard.before(
        signals.guard(
            bans.guard(
                account::accountOf,
                signatures.guard(limits.map(LimitFeature::guard).orElse(null)))),
        queue.loop()::reached);
  }

  /// The ids of all products.
  static Collection<ProductId> products(Catalog catalog) {
    return catalog.all().stream().map(Product::id).toList();
  }

  /// Wraps the ledger's sink: the ledger first, then webhooks, then receipts.
  OutboxSink sink(OutboxSink ledger) {
    return receipts.sink(webhooks.sink(ledger));
  }

  /// Registers the health checks of the features.
  void report(Health health) {
    sale.report(health);
    health.register("bans", () -> Future.succeededFuture(bans.status()));
    health.register("policies", () -> Future.succeededFuture(policies.status()));
    health.register("crowdsec", () -> Future.succeededFuture(bans.feedStatus()));
    health.register("challenge", () -> Future.succeededFuture(gate.health()));
    limits.ifPresent(one -> one.report(health));
  }

  /// Starts the background work of the features.
  void start() {
    risk.start();
    appeals.start();
    sale.start();
    queue.start();
    operator.live().start();
    payment.start();
    deposits.start();
    others.forEach(feature -> feature.starting().run());
    webhooks.start();
    receipts.start();
    standby.start();
    account.start();
    identity.ifPresent(IdentityFeature::start);
  }
}
