package fairgate.app;

import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.app.receipt.BuyerChannels;
import fairgate.app.risk.AfterAppeals;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.catalog.Product;
import fairgate.gate.GateFeature;
import fairgate.gate.appeal.AppealFeature;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeySeal;
import fairgate.kernel.ProductId;
import fairgate.operator.live.LiveFeature;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Device;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.queue.JoinGate;
import fairgate.queue.JoinGate.Entrance;
import fairgate.queue.JoinProspects;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.queue.QueueService.JoinRequest;
import fairgate.queue.Seat;
import fairgate.sale.BuyerDetails;
import fairgate.sale.SaleFeature;
import fairgate.sale.deposit.DepositFeature;
import fairgate.sale.deposit.DepositFeature.Prospect;
import fairgate.sale.payment.OrderBook;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.receipt.ReceiptChannels;
import fairgate.sale.receipt.ReceiptFeature;
import fairgate.sale.webhook.WebhookFeature;
import fairgate.standby.StandbyFeature;
import fairgate.ticket.TicketFeature;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wires the queue, sales, payment, deposits, webhooks, receipts, waiting lists, tickets and the
/// checks of a join.
final class SaleWiring {
  private static final Logger LOG = LoggerFactory.getLogger(SaleWiring.class);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int JUDGE_SECONDS = 2;

  private SaleWiring() {}

  static QueueFeature queue(
      FairgateConfig config,
      JoinGate checks,
      Buyers buyers,
      Catalog catalog,
      LiveSales live,
      FeatureSet.ServerContext context) {
    QueueFeature queue =
        QueueFeature.wire(
            QueueFeature.Config.defaults().with(context.stores().style()),
            new QueueFeature.Dependencies(
                context.vertx(),
                context.stores().redis(),
                context.stores().postgres(),
                context.keys(),
                context.ids(),
                context.metrics(),
                checks,
                buyers,
                context.audit(),
                live::ids,
                id -> catalog.find(id).isPresent()));
    context.closer().add(queue.loop());
    context.closer().add(queue.notices());
    return queue;
  }

  static LiveFeature live(QueueFeature queue, SaleFeature sale, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(LiveFeature.wire(context.vertx(), context.stores().postgres(), queue.service(), sale));
  }

  static PaymentFeature payment(
      FairgateConfig config,
      QueueFeature queue,
      Buyers buyers,
      Catalog catalog,
      LiveSales live,
      FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            PaymentFeature.wire(
                Settings.payment(config.payment()),
                new PaymentFeature.Stores(
                    context.stores().redis(),
                    context.stores().style(),
                    context.stores().postgres(),
                    () -> FeatureSet.products(catalog),
                    live),
                new PaymentFeature.Ports(
                    context.vertx(),
                    context.clock(),
                    context.ids(),
                    context.metrics(),
                    buyers,
                    queue.service()::deviceHash,
                    new BuyerDetails(
                        context.stores().postgres(),
                        new KeySeal(context.keys(), context.ids(), BuyerDetails.PURPOSE),
                        catalog::find,
                        Duration.ofDays(config.payment().detailsDays())))));
  }

  /// The orders as Redis has them, without deposits.
  static OrderBook orders(FairgateConfig config, FeatureSet.ServerContext context) {
    return new OrderBook(
        context.stores().redis(),
        context.stores().style(),
        Settings.payment(config.payment()).late());
  }

  static DepositFeature deposits(
      PaymentFeature payment,
      QueueFeature queue,
      SaleFeature sale,
      List<Feature> others,
      Buyers buyers,
      Catalog catalog,
      FeatureSet.ServerContext context) {
    queue
        .service()
        .onDepositRequired(
            id ->
                catalog
                    .find(id)
                    .map(Product::depositRequired)
                    .orElseGet(() -> Refusal.of(ErrorCode.DEPOSIT_REQUIRED)));
    return context
        .closer()
        .add(
            DepositFeature.wire(
                new DepositFeature.Stores(
                    context.stores().redis(),
                    context.stores().style(),
                    context.stores().postgres()),
                new DepositFeature.Ports(
                    payment,
                    catalog::find,
                    () ->
                        catalog.all().stream()
                            .anyMatch(product -> product.policy().payment().deposit() != null),
                    buyers,
                    queue.service()::deviceHash,
                    new DepositJoins(
                        queue.service().prospects(),
                        id ->
                            catalog
                                .find(id)
                                .map(sale.products()::isGone)
                                .orElseGet(() -> Future.succeededFuture(false)),
                        Feature.service(others, DepositFeature.EntryCheck.class)
                            .orElse(DepositFeature.EntryCheck.NONE),
                        context.vertx()),
                    context.ids(),
                    context.clock())));
  }

  /// Asks the queue whether a buyer could join, the sale whether there is anything to buy, and its
  /// draw whether the buyer could enter, before the buyer pays a deposit.
  private record DepositJoins(
      JoinProspects prospects,
      Function<ProductId, Future<Boolean>> isGone,
      DepositFeature.EntryCheck entries,
      Vertx vertx)
      implements DepositFeature.Joins {
    @Override
    public Future<Prospect> look(Request request, ProductId product, @Nullable String user) {
      return prospects
          .look(join(request, product, user))
          .compose(prospect -> unlessGone(prospect, product))
          .compose(prospect -> unlessEntered(prospect, request, product, user));
    }

    @Override
    public Future<Prospect> judge(Request request, ProductId product, @Nullable String user) {
      Promise<JoinProspects.Prospect> judged = Promise.promise();
      vertx.runOnContext(_ -> prospects.judge(join(request, product, user)).onComplete(judged));
      return judged
          .future()
          .compose(prospect -> unlessGone(prospect, product))
          .compose(prospect -> unlessEntered(prospect, request, product, user));
    }

    /// A person enters a draw once: also not again after a withdrawal.
    private Future<Prospect> unlessEntered(
        Prospect prospect, Request request, ProductId product, @Nullable String user) {
      return prospect.refusal().isPresent()
          ? Future.succeededFuture(prospect)
          : entries
              .refusal(product, request.device().id(), user)
              .map(refusal -> refusal.isEmpty() ? prospect : new Prospect(refusal, ""));
    }

    /// Nobody new pays for a place that leads to nothing. A deposit that is paid still gives one.
    private Future<Prospect> unlessGone(JoinProspects.Prospect prospect, ProductId product) {
      Prospect asked = new Prospect(prospect.refusal(), prospect.deposit());
      return asked.refusal().isPresent() || !asked.deposit().isEmpty()
          ? Future.succeededFuture(asked)
          : isGone
              .apply(product)
              .map(
                  gone ->
                      gone
                          ? new Prospect(Optional.of(Refusal.of(ErrorCode.INSUFFICIENT_STOCK)), "")
                          : asked);
    }

    private static JoinRequest join(Request request, ProductId product, @Nullable String user) {
      return new JoinRequest(
          product,
          "",
          request.device(),
          SessionOf.optional(request),
          user,
          0,
          request.caller(),
          request);
    }
  }

  static SaleFeature sale(
      PaymentFeature payment, Catalog catalog, LiveSales live, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            SaleFeature.wire(
                SaleFeature.Config.defaults().with(context.stores().style()),
                new SaleFeature.Dependencies(
                    context.stores().redis(),
                    context.keys(),
                    context.ids(),
                    context.audit(),
                    catalog,
                    live,
                    context.metrics(),
                    context.stores().ledger().view(),
                    context.stores().ledger().numbers()::numbered,
                    payment::payUrl)));
  }

  static WebhookFeature webhooks(FairgateConfig config, FeatureSet.ServerContext context) {
    return context
        .closer()
        .add(
            WebhookFeature.wire(
                Settings.webhooks(config.channels().webhooks()),
                new WebhookFeature.Dependencies(
                    context.stores().postgres(), context.clock(), context.metrics())));
  }

  static ReceiptFeature receipts(
      FairgateConfig config,
      Optional<IdentityFeature> identity,
      List<Feature> others,
      Catalog catalog,
      FeatureSet.ServerContext context) {
    String configured = config.baseUrl().replaceFirst("/+$", "");
    String shopUrl = configured.isEmpty() ? Settings.site(config).shopUrl() : configured;
    return context
        .closer()
        .add(
            ReceiptFeature.wire(
                new BuyerChannels(
                    identity, Feature.service(others, ReceiptChannels.Chat.class), shopUrl),
                order ->
                    catalog
                        .find(order.product())
                        .map(product -> product.details().name())
                        .orElse(order.product().value()),
                new ReceiptFeature.Dependencies(
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    config.channels().messages().receipts().equals("on"))));
  }

  static StandbyFeature standby(
      QueueFeature queue,
      SaleFeature sale,
      ReceiptFeature receipts,
      JoinChecks checks,
      Catalog catalog,
      FeatureSet.ServerContext context) {
    StandbyFeature standby =
        context
            .closer()
            .add(
                StandbyFeature.wire(
                    new StandbyFeature.Dependencies(
                        context.stores().postgres(),
                        catalog,
                        queue.service(),
                        sale.service(),
                        (db, entry, order) ->
                            receipts.offer(
                                db,
                                order,
                                entry.session().value(),
                                entry.user(),
                                entry.quantity(),
                                catalog
                                    .find(entry.product())
                                    .orElseThrow()
                                    .details()
                                    .price()
                                    .times(entry.quantity())),
                        request -> judge(checks, request, context.vertx()),
                        checks.risk()::hasWonAppeal,
                        context.metrics(),
                        context.ids(),
                        context.clock())));
    queue.loop().onOldList(standby::ask);
    return standby;
  }

  /// The verdict on a registration for a waiting list; one that is late is left out. Blocks.
  private static JoinGate.Verdict judge(
      JoinChecks checks, QueueService.JoinRequest request, Vertx vertx) {
    Promise<JoinGate.Verdict> judged = Promise.promise();
    vertx.runOnContext(_ -> checks.judgeRisk(request).onComplete(judged));
    try {
      return judged.future().await(JUDGE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("The risk of a registration was not judged in time; it goes on", e);
      return JoinGate.Verdict.USUAL;
    }
  }

  static TicketFeature tickets(Catalog catalog, FeatureSet.ServerContext context) {
    return TicketFeature.wire(
        new TicketFeature.Dependencies(
            context.stores().postgres(), catalog, context.keys(), context.ids(), context.clock()));
  }

  /// The checks of a join: those of the waiting room before its sale, then those of the gate.
  ///
  /// @param entrance none until a feature sets it
  /// @param limited whether limits are on
  record JoinChecks(
      GateFeature gate,
      BanService bans,
      RiskWiring risk,
      AppealFeature appeals,
      AtomicReference<Entrance> entrance,
      boolean limited)
      implements JoinGate {
    JoinChecks(
        GateFeature gate,
        BanService bans,
        RiskWiring risk,
        AppealFeature appeals,
        boolean limited) {
      this(gate, bans, risk, appeals, new AtomicReference<>(new Entrance() {}), limited);
    }

    @Override
    public Future<ChallengeResult> check(
        String token, ProductId product, Level level, String clientAddress, Device device) {
      ChallengeProvider.Context context =
          ChallengeProvider.Context.join(product, clientAddress, device);
      return gate.challenge().verify(token, level == Level.HARDER ? context.asHarder() : context);
    }

    @Override
    public Future<Verdict> judge(QueueService.JoinRequest request) {
      return entrance
          .get()
          .check(request.product(), request.http())
          .otherwise(JoinChecks::unavailable)
          .compose(
              refusal ->
                  refusal.isPresent()
                      ? Future.succeededFuture(Verdict.refused(refusal.get(), Level.NONE, null))
                      : judgeRisk(request));
    }

    @Override
    public Future<Optional<Refusal>> visit(QueueService.JoinRequest request) {
      return entrance
          .get()
          .visit(request.product(), request.http())
          .otherwise(JoinChecks::unavailable);
    }

    private static Optional<Refusal> unavailable(Throwable e) {
      LOG.debug("A pass could not be checked", e);
      return Optional.of(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
    }

    /// As [#judge], without the waiting room. The future never fails.
    Future<Verdict> judgeRisk(QueueService.JoinRequest request) {
      Caller caller = request.caller();
      return risk.join(request)
          .map(
              judged -> {
                Stream<Ban> exemptions = bans.exemptions(caller.address(), () -> caller);
                Verdict verdict = AfterAppeals.verdict(request.product(), judged, exemptions);
                return verdict.recordedBy(
                    () -> {
                      judged.recorder().run();
                      count(request.product(), verdict);
                    });
              });
    }

    /// A browser or an account, as in sales.
    @Override
    public boolean spares(Caller caller) {
      return bans.exemptions(caller.address(), () -> caller).anyMatch(Ban::sparesRooms);
    }

    private void count(ProductId product, Verdict verdict) {
      if (AfterAppeals.isRefused(verdict)) {
        appeals.countDemotion(product, ErrorCode.RISK_REFUSED.name());
      } else if (verdict.seat() != Seat.IN_ORDER) {
        appeals.countDemotion(product, verdict.seat().name());
      }
    }

    @Override
    public boolean countsNetworks(Caller caller) {
      return limited && !bans.allows(caller.address(), () -> caller);
    }
  }
}
