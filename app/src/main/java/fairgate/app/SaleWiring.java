package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.LiveSales;
import fairgate.gate.GateFeature;
import fairgate.gate.appeal.AppealFeature;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeContext;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import fairgate.queue.JoinGate;
import fairgate.queue.QueueConfig;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.queue.Seat;
import fairgate.room.RoomConfig;
import fairgate.room.RoomFeature;
import fairgate.sale.SaleConfig;
import fairgate.sale.SaleFeature;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.webhook.WebhookFeature;
import io.vertx.core.Future;
import java.util.Map;

/// Wires the queue, waiting rooms, purchases, payment and webhooks.
final class SaleWiring {
  private SaleWiring() {}

  static QueueFeature queue(
      FairgateConfig config,
      JoinChecks checks,
      Buyers buyers,
      Catalog catalog,
      LiveSales live,
      Features.ServerContext context) {
    QueueFeature queue =
        QueueFeature.wire(
            QueueConfig.defaults().with(context.stores().style()),
            new QueueFeature.Dependencies(
                context.vertx(),
                context.stores().redis(),
                context.keys(),
                context.ids(),
                context.metrics(),
                checks,
                buyers,
                context.audit(),
                live::ids,
                id -> catalog.find(id).isPresent()));
    context.closer().add(queue.loop());
    return queue;
  }

  static PaymentFeature payment(
      FairgateConfig config,
      QueueFeature queue,
      Buyers buyers,
      Catalog catalog,
      LiveSales live,
      Features.ServerContext context) {
    return context
        .closer()
        .add(
            PaymentFeature.wire(
                Settings.payment(config.payment()),
                new PaymentFeature.Stores(
                    context.stores().redis(),
                    context.stores().style(),
                    context.stores().postgres(),
                    () -> Features.products(catalog),
                    live),
                new PaymentFeature.Ports(
                    context.vertx(),
                    context.clock(),
                    context.ids(),
                    context.metrics(),
                    buyers,
                    queue.service()::deviceHash)));
  }

  static SaleFeature sale(
      PaymentFeature payment, Catalog catalog, LiveSales live, Features.ServerContext context) {
    return context
        .closer()
        .add(
            SaleFeature.wire(
                SaleConfig.defaults().with(context.stores().style()),
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

  static RoomFeature rooms(
      FairgateConfig config, JoinChecks checks, Features.ServerContext context) {
    String baseUrl = config.signIn().baseUrl();
    return context
        .closer()
        .add(
            RoomFeature.wire(
                RoomConfig.defaults(),
                new RoomFeature.Dependencies(
                    context.vertx(),
                    context.stores().redis(),
                    context.stores().postgres(),
                    context.keys(),
                    context.ids(),
                    context.clock(),
                    context.metrics(),
                    checks,
                    baseUrl.isEmpty() ? "fairgate" : baseUrl)));
  }

  static WebhookFeature webhooks(FairgateConfig config, Features.ServerContext context) {
    return context
        .closer()
        .add(
            WebhookFeature.wire(
                Settings.webhooks(config.channels().webhooks()),
                new WebhookFeature.Dependencies(
                    context.stores().postgres(), context.clock(), context.metrics())));
  }

  /// Whether the caller's appeal was granted, or not decided in time.
  static boolean isExempt(BanService bans, Caller caller) {
    return bans.exemption(caller.address(), () -> caller)
        .filter(entry -> entry.actor().startsWith(Ban.APPEAL))
        .isPresent();
  }

  /// Whether the caller's appeal was granted.
  static boolean isPardoned(BanService bans, Caller caller) {
    return bans.exemption(caller.address(), () -> caller)
        .filter(entry -> entry.actor().equals(Ban.APPEAL))
        .isPresent();
  }

  /// The gate's checks of a join.
  ///
  /// @param limited whether limits are on
  record JoinChecks(
      GateFeature gate, BanService bans, RiskWiring risk, AppealFeature appeals, boolean limited)
      implements JoinGate {
    @Override
    public Future<ChallengeResult> check(
        String token, ProductId product, Level level, String clientAddress, DeviceId device) {
      ChallengeContext context = ChallengeContext.join(product, clientAddress, device);
      return gate.challenge().verify(token, level == Level.HARDER ? context.asHarder() : context);
    }

    @Override
    public Future<Verdict> judge(QueueService.JoinRequest request) {
      Caller caller = request.caller();
      Ban exemption = bans.exemption(caller.address(), () -> caller).orElse(null);
      return risk.join(request)
          .map(
              judged -> {
                Verdict verdict = exemption == null ? judged : afterAppeal(judged, exemption);
                count(request.product(), verdict);
                return verdict;
              });
    }

    /// The verdict on a person about whose appeal was decided, or not in time.
    ///
    /// A browser or an account whose appeal was granted needs no challenge: perhaps it cannot solve
    /// one. An address can be that of many.
    private static Verdict afterAppeal(Verdict verdict, Ban exemption) {
      return switch (exemption.actor()) {
        case Ban.APPEAL ->
            new Verdict(
                null,
                isOfOnePerson(exemption) ? Level.NONE : Level.USUAL,
                Seat.IN_ORDER,
                null,
                Map.of());
        case Ban.SLOWER ->
            new Verdict(
                Refusal.of(ErrorCode.CHALLENGE_REQUIRED),
                Level.HARDER,
                Seat.IN_ORDER,
                verdict.decision(),
                Map.of());
        // With risk off, nothing could explain the seat.
        case Ban.LATE, Ban.BEHIND ->
            verdict.decision() == null
                ? Verdict.USUAL
                : new Verdict(
                    null, Level.USUAL, Seat.BEHIND, verdict.decision(), verdict.members());
        default -> verdict;
      };
    }

    private static boolean isOfOnePerson(Ban exemption) {
      return switch (exemption.subject().kind()) {
        case DEVICE, ACCOUNT, SESSION -> true;
        case IP, NETWORK, ASN, COUNTRY -> false;
      };
    }

    private void count(ProductId product, Verdict verdict) {
      if (verdict.level() == Level.NONE && verdict.refusal() != null) {
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
