package fairgate.app;

import fairgate.account.PasskeyFeature;
import fairgate.account.PublicOrigin;
import fairgate.account.identity.IdentityFeature;
import fairgate.app.Server.Running;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.GateSettings;
import fairgate.app.config.MasterSecret;
import fairgate.app.pages.AccountPages;
import fairgate.app.pages.AppealPages;
import fairgate.app.pages.ConsolePage;
import fairgate.app.pages.OperatorPages;
import fairgate.app.pages.OperatorProviderPages;
import fairgate.app.pages.ShopPages;
import fairgate.app.pages.SignInPages;
import fairgate.app.pages.StepPages;
import fairgate.app.pages.VerifyPages;
import fairgate.app.pages.docs.ApiDocsPage;
import fairgate.app.retention.ExpiredRows;
import fairgate.app.risk.StepLimits;
import fairgate.kernel.KeyRing;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.events.OutboxRelay;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.http.ObserveRoutes;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.Traces;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.page.PageSettings;
import fairgate.platform.postgres.MasterKeys;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wires and starts the server. Reads like a table of contents.
final class Wiring {
  private static final Logger LOG = LoggerFactory.getLogger(Wiring.class);
  private static final Duration HEALTH_EVERY = Duration.ofSeconds(1);
  private static final long START_SECONDS = 30;
  private static final long STOP_SECONDS = 5;

  private Wiring() {}

  /// Starts everything that needs the engines, and returns when the server accepts requests.
  ///
  /// @throws RuntimeException with a message for the operator when it cannot start; then nothing is
  ///   left running
  static Running start(FairgateConfig config, EngineAddresses engines, Replaceable parts) {
    Closer closer = new Closer();
    try {
      return start(config, engines, parts, closer);
    } catch (TimeoutException e) {
      closer.close();
      throw new StartFailed("an engine did not answer in time");
    } catch (RuntimeException e) {
      closer.close();
      throw e;
    }
  }

  private static Metrics metrics() {
    Metrics metrics = new Metrics();
    metrics.watchJvm();
    return metrics;
  }

  private static Running start(
      FairgateConfig config, EngineAddresses engines, Replaceable parts, Closer closer)
      throws TimeoutException {
    Vertx vertx = Loops.vertx();
    closer.add(() -> vertx.close().await(STOP_SECONDS, TimeUnit.SECONDS));
    Metrics metrics = metrics();
    Health health = new Health();
    String node = NodeId.of(config.dataDir(), parts.ids());
    Stores stores = Stores.open(vertx, engines, KafkaWiring.log(config, node), closer);
    stores.report(health);
    KeyRing keys = MasterSecret.ring(config.keys().master());
    MasterKeys.check(stores.postgres(), keys, !Settings.isUp(config))
        .ifPresent(
            problem -> {
              throw new StartFailed(problem);
            });
    AuditLog.Parts events =
        new AuditLog.Parts(stores.postgres(), keys, parts.clock(), parts.ids(), metrics, node);
    AuditLog audit = closer.add(Stores.audit(config, events, health));
    FeatureSet.ServerContext context =
        new FeatureSet.ServerContext(vertx, metrics, health, keys, stores, parts, audit, closer);
    closer.add(ExpiredRows.start(stores.postgres()));
    FeatureSet features = FeatureSet.wire(config, context);
    OutboxRelay relay =
        closer.add(stores.relay(features.live()::ids, features::sink, parts.clock(), node));
    stores.report(relay, features.sale().sync()::missingEvents, health, metrics);
    OutboxLimit.watch(
        vertx,
        config.stores().redis().outboxLimit(),
        () -> relay.status().lag(),
        features.sale().service(),
        health);
    features.report(health);
    features.operator().live().feed().sources(health::report, relay::status);
    health.publish(metrics);
    health.start(vertx, HEALTH_EVERY).await(START_SECONDS, TimeUnit.SECONDS);
    Map<String, String> facts = Demo.facts(config, features.catalog(), features.sale().sync());

    features.start();
    relay.start();
    boolean local = config.server().localMetrics();
    Predicate<Request> maySee =
        request ->
            (local && request.isLocal()) || features.access().credentials().hasSharedToken(request);
    Predicate<Request> mayScrape =
        request -> maySee.test(request) || features.access().guard().isOperator(request);
    PageSettings settings = Settings.pages(config);
    ShopPages pages = shop(config, features, settings, parts.clock(), keys);
    AppealPages appeals = appeals(features, pages, settings, parts.clock());
    List<Route> routes =
        Stream.of(
                ObserveRoutes.of(metrics, health, maySee, mayScrape).stream(),
                features.adminRoutes(context).stream(),
                features.checkoutPages(pages, settings, config, parts.clock()).routes().stream(),
                features
                    .ticketPages(pages, settings, config.baseUrl(), parts.clock())
                    .routes()
                    .stream(),
                routes(
                    features, pages, appeals, SignInWiring.origin(config), settings, parts.clock()))
            .flatMap(Function.identity())
            .map(features.access().guard()::restrict)
            .toList();
    HttpDependencies seams =
        new HttpDependencies(
            parts.ids(),
            keys,
            metrics,
            features.guard(),
            audit,
            features.signals()::refused,
            features.decisions(),
            traces(config, parts.clock(), metrics, closer),
            appeals.refusals(pages.refusals()));
    WarmUp.run(
        vertx,
        routes,
        features.live().ids(),
        keys,
        parts.ids(),
        Duration.ofMillis(config.server().warmUpMillis()));
    HttpServer http =
        HttpServer.start(
            vertx, Settings.http(config), AdminPort.publicRoutes(config, routes), seams);
    int adminPort = AdminPort.serve(config, vertx, http, routes, seams);
    ready(config);
    return new RunningServer(
        http, adminPort, health, facts, features.access().operators(), routes, closer);
  }

  private static @Nullable Traces traces(
      FairgateConfig config, Clock clock, Metrics metrics, Closer closer) {
    String url = config.traces().url();
    if (url.isEmpty()) {
      return null;
    }
    Traces traces =
        closer.add(new Traces(URI.create(url), config.traces().perThousand(), clock, metrics));
    traces.start();
    return traces;
  }

  private static void ready(FairgateConfig config) {
    GateSettings.Limits limits = config.gate().limits();
    LOG.info(
        "Ready: redis, postgres{}, challenge {}, limits {}, {} event loops",
        config.stores().kafka().servers().isEmpty() ? "" : ", kafka",
        config.gate().challenge().provider(),
        limits.on() ? "on (" + limits.rules().size() + " rules)" : "off",
        Runtime.getRuntime().availableProcessors());
  }

  private static ShopPages shop(
      FairgateConfig config,
      FeatureSet features,
      PageSettings settings,
      Clock clock,
      KeyRing keys) {
    return new ShopPages(
        PageWiring.sources(
            features.queue(),
            features.sale(),
            features.payment(),
            features.deposits()::shown,
            RiskWiring.rules(config, features.policies()),
            features.entrance(),
            features.catalog()),
        new PageWiring(
            features.queue(),
            features.sale(),
            features.payment(),
            features.buyers(),
            keys,
            settings.joinWithoutScript()),
        settings,
        clock);
  }

  private static AppealPages appeals(
      FeatureSet features, ShopPages pages, PageSettings settings, Clock clock) {
    return new AppealPages(
        pages,
        features.appeals(),
        features.account()::accountOf,
        id -> features.catalog().find(id).isPresent(),
        settings,
        clock);
  }

  private static Stream<Route> routes(
      FeatureSet features,
      ShopPages pages,
      AppealPages appeals,
      PublicOrigin origin,
      PageSettings settings,
      Clock clock) {
    SignInPages.Choices choices =
        new SignInPages.Choices(
            features.oidc(), features.passkeys().map(PasskeyFeature::service), origin);
    AccountPages accountPages =
        new AccountPages(
            pages,
            features.account(),
            choices,
            features.identity(),
            features.others().stream().flatMap(it -> it.ofAccount().stream()).toList(),
            settings,
            clock);
    SignInPages signInPages = new SignInPages(pages, features.account(), choices, settings, clock);
    return Stream.of(
            new ApiDocsPage().routes(),
            features
                .gate()
                .routes(
                    features.risks()::spares, new StepLimits(features.account().budgets())::spend),
            features.account().routes(),
            features.passkeys().map(PasskeyFeature::routes).orElse(List.of()),
            features.identity().map(IdentityFeature::routes).orElse(List.of()),
            features.queue().routes(),
            features.sale().routes(),
            features.payment().routes(),
            features.deposits().routes(),
            accountPages.routes(),
            signInPages.routes(),
            features
                .identity()
                .map(it -> verify(features, it, pages, settings, clock))
                .orElse(List.of()),
            features.others().stream().map(Feature::routes).flatMap(List::stream).toList(),
            features.tickets().routes(),
            new ConsolePage(
                    features.access(),
                    features.others().stream().flatMap(it -> it.sections().stream()).toList(),
                    settings,
                    clock)
                .routes(),
            features.checkInPage(settings, clock).routes(),
            new OperatorPages(features.access(), settings, clock).routes(),
            new OperatorProviderPages(features.access(), settings, clock).routes(),
            pages.routes(),
            features.catalog().pictures().routes(),
            features.orderPages(pages, settings, clock).routes(),
            features.orderLinkPages(pages, settings, clock).routes(),
            features.standbyPages(pages, settings, clock).routes(),
            new StepPages(
                    pages,
                    new StepPages.Services(
                        features.gate().steps(),
                        features.identity().flatMap(IdentityFeature::joinCodes),
                        features.catalog()),
                    settings,
                    clock)
                .routes(),
            features.depositPages(pages, settings, clock).routes(),
            features.detailsPages(pages, settings, clock).routes(),
            appeals.routes())
        .flatMap(List::stream);
  }

  private static List<Route> verify(
      FeatureSet features,
      IdentityFeature identity,
      ShopPages pages,
      PageSettings settings,
      Clock clock) {
    return new VerifyPages(
            pages,
            features.account().service(),
            identity,
            id -> features.catalog().find(id).isPresent(),
            settings,
            clock)
        .routes();
  }
}
