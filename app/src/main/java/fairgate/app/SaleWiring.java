package fairgate.app;

import fairgate.account.identity.IdentityFeature;
import fairgate.app.config.FairgateConfig;
import fairgate.app.receipt.BuyerChannels;
import fairgate.app.risk.AfterAppeals;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.draw.Draw;
import fairgate.draw.DrawEntries;
import fairgate.draw.DrawFeature;
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
import fairgate.line.LineFeature;
import fairgate.operator.live.LiveFeature;
import fairgate.platform.http.Device;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.platform.redis.RedisReply;
import fairgate.queue.JoinGate;
import fairgate.queue.JoinProspects;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.queue.QueueService.JoinRequest;
import fairgate.queue.Seat;
import fairgate.room.RoomFeature;
import fairgate.room.check.NodeRoomStates;
import fairgate.room.check.SaleEntrance;
import fairgate.sale.BuyerDetails;
import fairgate.sale.SaleFeature;
import fairgate.sale.deposit.DepositFeature;
import fairgate.sale.deposit.DepositFeature.Prospect;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.receipt.ReceiptFeature;
import fairgate.sale.webhook.WebhookFeature;
import fairgate.standby.StandbyFeature;
import fairgate.ticket.TicketFeature;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wires the queue, waiting rooms, purchases, payment and webhooks.
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

  static DepositFeature deposits(
      PaymentFeature payment,
      QueueFeature queue,
      SaleFeature sale,
      DrawFeature draws,
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
                        id ->
                            catalog
                                .find(id)
                                .filter(Product::isByDraw)
                                .flatMap(_ -> draws.draws().ofProduct(id))
                                .filter(draw -> draw.state() == Draw.State.OPEN),
                        draws.entries(),
                        context.vertx()),
                    context.ids(),
                    context.clock())));
  }

  /// Asks the queue whether a buyer could join, the open draw whether the buyer could enter, and
  /// the sale whether there is anything to buy, before the buyer pays a deposit.
  private record DepositJoins(
      JoinProspects prospects,
      Function<ProductId, Future<Boolean>> isGone,
      Function<ProductId, Optional<Draw>> openDraw,
      DrawEntries entries,
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
      Draw draw = prospect.refusal().isPresent() ? null : openDraw.apply(product).orElse(null);
      return draw == null
          ? Future.succeededFuture(prospect)
          : entries
              .refusal(draw, request.device().id(), user)
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

  /// @param checks of the joins, without those of rooms before sales
  static RoomFeature rooms(
      FairgateConfig config, JoinChecks checks, Catalog catalog, FeatureSet.ServerContext context) {
    String baseUrl = config.signIn().baseUrl();
    return context
        .closer()
        .add(
            RoomFeature.wire(
                RoomFeature.Config.defaults(Duration.ofSeconds(config.draws().roomSeconds())),
                new RoomFeature.Dependencies(
                    context.vertx(),
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics(),
                    checks,
                    sale -> stock(sale, catalog, context.stores()),
                    baseUrl.isEmpty() ? "fairgate" : baseUrl)));
  }

  /// The free units and those that are planned: who waits long can still buy them.
  private static Future<OptionalLong> stock(ProductId sale, Catalog catalog, Stores stores) {
    SaleKeys keys = SaleKeys.of(sale, stores.style());
    int total = catalog.find(sale).map(product -> product.details().totalStock()).orElse(0);
    return Future.all(
            stores.redis().send("GET", keys.stock()),
            stores.redis().send("HGET", keys.sale(), "released"))
        .map(
            both -> {
              RedisReply free = both.resultAt(0);
              RedisReply released = both.resultAt(1);
              return free.isNil() || released.isNil()
                  ? OptionalLong.empty()
                  : OptionalLong.of(free.number() + Math.max(0, total - released.number()));
            });
  }

  /// The entrance to the sales that have a waiting room.
  static SaleEntrance entrance(RoomFeature rooms, Clock clock) {
    return new SaleEntrance(new NodeRoomStates(rooms, clock), rooms.tokens(), clock);
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
      LineFeature line,
      Catalog catalog,
      FeatureSet.ServerContext context) {
    String configured = config.baseUrl().replaceFirst("/+$", "");
    String shopUrl = configured.isEmpty() ? Settings.line(config).shopUrl() : configured;
    return context
        .closer()
        .add(
            ReceiptFeature.wire(
                new BuyerChannels(identity, line, shopUrl),
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

  /// @param checks of the joins, without those of rooms before sales
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
    vertx.runOnContext(_ -> checks.judge(request).onComplete(judged));
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

  /// Whether an appeal of the caller was granted.
  static boolean isExemptAfterAppeal(BanService bans, Caller caller) {
    return bans.exemptions(caller.address(), () -> caller).anyMatch(Ban::followsAppeal);
  }

  /// The checks of a join, after those of the waiting room before its sale.
  record RoomChecks(SaleEntrance entrance, JoinChecks checks) implements JoinGate {
    @Override
    public Future<ChallengeResult> check(
        String token, ProductId product, Level level, String clientAddress, Device device) {
      return checks.check(token, product, level, clientAddress, device);
    }

    @Override
    public Future<Verdict> judge(QueueService.JoinRequest request) {
      return entrance
          .check(request.product(), request.http())
          .otherwise(RoomChecks::unavailable)
          .compose(
              refusal ->
                  refusal.isPresent()
                      ? Future.succeededFuture(Verdict.refused(refusal.get(), Level.NONE, null))
                      : checks.judge(request));
    }

    @Override
    public Future<Optional<Refusal>> visit(QueueService.JoinRequest request) {
      return entrance.visit(request.product(), request.http()).otherwise(RoomChecks::unavailable);
    }

    private static Optional<Refusal> unavailable(Throwable e) {
      LOG.debug("A pass could not be checked", e);
      return Optional.of(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
    }

    @Override
    public boolean countsNetworks(Caller caller) {
      return checks.countsNetworks(caller);
    }
  }

  /// The gate's checks of a join.
  ///
  /// @param limited whether limits are on
  record JoinChecks(
      GateFeature gate, BanService bans, RiskWiring risk, AppealFeature appeals, boolean limited)
      implements JoinGate {
    @Override
    public Future<ChallengeResult> check(
        String token, ProductId product, Level level, String clientAddress, Device device) {
      ChallengeProvider.Context context =
          ChallengeProvider.Context.join(product, clientAddress, device);
      return gate.challenge().verify(token, level == Level.HARDER ? context.asHarder() : context);
    }

    @Override
    public Future<Verdict> judge(QueueService.JoinRequest request) {
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
