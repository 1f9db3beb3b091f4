package fairgate.sale.payment;

import fairgate.catalog.Buyers;
import fairgate.catalog.LiveSales;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SessionOf;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.AmountProblem;
import fairgate.sale.BuyerDetails;
import fairgate.sale.PurchaseOutcome;
import fairgate.sale.ledger.LedgerWait;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.WebhookPayments.GatewayClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The wiring of payment.
public final class PaymentFeature implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PaymentFeature.class);

  /// Providers never learn the owner of an order.
  private static final SessionId NOBODY = new SessionId("00000000-0000-0000-0000-000000000000");

  /// Gateways close their connection after five seconds or more.
  private static final Duration LEDGER_PATIENCE = Duration.ofSeconds(3);

  /// Number of checks between two such rounds: about two seconds.
  private static final int LOOKS_AT_SCHEDULED = 8;

  /// LINE Pay and ECPay end calls after 20 seconds or less.
  private static final Duration IN_FLIGHT = Duration.ofMinutes(1);

  private final PaymentService service;
  private final PaymentProvider provider;
  private final PaymentRoutes routes;
  private final DetailsRoutes detailsRoutes;
  private final BuyerDetails details;
  private final PaymentDeadlines deadlines;
  private final Refunds refunds;
  private final RefundDesk desk;
  private final OrderBook book;
  private final Settlement settlement;
  private final ProviderHealth health;
  private final GatewayClient gateway;
  private final ProviderHttp http;
  private final PostgresDatabase database;
  private final AtomicInteger looks = new AtomicInteger();
  private final Buyers buyers;
  private final BiFunction<ProductId, DeviceId, String> devices;

  private PaymentFeature(PaymentConfig config, Stores stores, Ports seams) {
    PaymentMetrics metrics = new PaymentMetrics(seams.metrics());
    WebhookSignature signature =
        new WebhookSignature(
            config.provider().isHosted() ? List.of() : config.webhookSecrets(), seams.clock());
    this.book = new OrderBook(stores.redis(), stores.style(), config.late());
    this.health = new ProviderHealth(System::nanoTime);
    metrics.provider(health);
    this.gateway = new GatewayClient(signature, config.timeLimit(), health);
    this.http = new ProviderHttp(config.timeLimit(), health);
    this.database = stores.database();
    this.provider =
        switch (config.provider()) {
          case SANDBOX -> new SandboxPayments(stores.redis(), seams.ids(), signature, health);
          case WEBHOOK -> new WebhookPayments(config, gateway, signature);
          case STRIPE, LINEPAY, ECPAY -> hosted(config, http, stores, seams);
        };
    PostgresRefunds list = new PostgresRefunds(stores.database());
    // The sandbox draws all payment ids, so no two orders share one.
    BiFunction<OrderId, Payment, OrderId> owners =
        switch (config.provider()) {
          case SANDBOX -> (order, _) -> order;
          case WEBHOOK, STRIPE, LINEPAY, ECPAY ->
              new PostgresPaymentOwners(stores.database())::claim;
        };
    this.settlement = new Settlement(book, provider, metrics, stores.products(), owners, list);
    LedgerWait ledger = LedgerWait.on(stores.database(), seams.vertx(), LEDGER_PATIENCE);
    this.details = seams.details();
    PostgresDisputes disputes = new PostgresDisputes(stores.database());
    this.service = new PaymentService(book, provider, settlement, ledger, details, disputes);
    this.buyers = seams.buyers();
    this.devices = seams.devices();
    this.routes = new PaymentRoutes(service, provider, metrics, this::askerOf);
    this.detailsRoutes = new DetailsRoutes(service, details, this::askerOf);
    book.onEdge(stores.live()::wake);
    this.deadlines =
        new PaymentDeadlines(
            book, settlement, health, () -> withOrders(stores.live(), seams.clock().instant()));
    this.refunds =
        new Refunds(
            list,
            book,
            provider,
            metrics,
            Refunds.ownOrders(stores.database()),
            disputes::open,
            stores.database().changes()::resting);
    this.desk = new RefundDesk(list, book, disputes);
  }

  private static HostedPayments hosted(
      PaymentConfig config, ProviderHttp http, Stores stores, Ports seams) {
    return new HostedPayments(
        hostedGateway(config, http, stores.database(), seams.clock()),
        new PostgresCheckouts(stores.database(), name(config.provider())));
  }

  /// The stores of payment.
  ///
  /// @param products all products, called for each round
  /// @param live sales whose payment deadlines this node checks
  public record Stores(
      RedisClient redis,
      SaleKeys.Style style,
      PostgresDatabase database,
      Supplier<? extends Collection<ProductId>> products,
      LiveSales live) {}

  /// The dependencies of payment on other features.
  ///
  /// @param devices the hash of a device in a sale
  public record Ports(
      Vertx vertx,
      Clock clock,
      Ids ids,
      Metrics metrics,
      Buyers buyers,
      BiFunction<ProductId, DeviceId, String> devices,
      BuyerDetails details) {}

  /// The sales whose deadlines are checked. A sale that has not opened has orders only when its
  /// opening was postponed, so it is checked now and then.
  private Collection<ProductId> withOrders(LiveSales live, Instant now) {
    boolean all = looks.getAndIncrement() % LOOKS_AT_SCHEDULED == 0;
    return all ? live.ids() : live.openedIds(now);
  }

  /// Creates the parts; nothing runs before `start`.
  public static PaymentFeature wire(PaymentConfig config, Stores stores, Ports seams) {
    return new PaymentFeature(config, stores, seams);
  }

  /// Makes a call to the provider that changes nothing, with the account of the settings. Returns
  /// what it shows. Throws ServiceUnavailable when the provider does not answer or does not accept
  /// the account. Blocks.
  ///
  /// @param config of a provider with payment pages of its own
  public static String probe(PaymentConfig config, PostgresDatabase database, Clock clock) {
    try (ProviderHttp http =
        new ProviderHttp(config.timeLimit(), new ProviderHealth(System::nanoTime))) {
      return hostedGateway(config, http, database, clock).probe();
    } catch (ProviderHttp.NoAnswer e) {
      throw new ServiceUnavailable(e.reason(), Duration.ofSeconds(2));
    }
  }

  public PaymentService service() {
    return service;
  }

  /// Makes payment treat deposits as orders.
  public void setDeposits(OrderBook.Deposits deposits) {
    book.setDeposits(deposits);
  }

  /// Closes an unpaid deposit at the provider, and acts on its reply. Blocks.
  public void endUnpaid(OrderId deposit) {
    Settlement.Result result = settlement.end(deposit, ReleaseOutcome.Reason.EXPIRED);
    LOG.debug("Deposit ended at its deadline; depositId={} result={}", deposit, result);
  }

  public boolean isProviderFailing() {
    return health.isFailing();
  }

  /// For operators: refunds that a person has to decide.
  public RefundDesk refunds() {
    return desk;
  }

  /// The reason why a sale at this price could not be paid; empty when it could, as far as the
  /// server knows.
  ///
  /// @param mostUnits the most units of an order
  public Optional<AmountProblem> problem(Money price, int mostUnits) {
    return provider.problem(price).or(() -> provider.problem(price.times(mostUnits)));
  }

  /// The tries to pay of an order, oldest first; none with providers that have no payment page for
  /// each try. Blocks: for virtual threads.
  public List<PaymentTry> tries(OrderId order) {
    return PostgresCheckouts.tries(database, order);
  }

  /// What buyers give when a product asks for it.
  public BuyerDetails details() {
    return details;
  }

  public List<Route> routes() {
    return Stream.of(routes.routes(), detailsRoutes.routes()).flatMap(List::stream).toList();
  }

  /// Its part of the admin API.
  public List<Route> adminRoutes(AdminGuard admin) {
    return new MoneyAdmin(service, desk).routes(admin);
  }

  /// An order for its owner; empty for all others.
  public Future<Optional<String>> order(Request request, OrderId id) {
    return askerOf(request, id)
        .compose(asker -> service.find(id, asker))
        .map(found -> found.map(order -> new String(routes.json(order), StandardCharsets.UTF_8)));
  }

  /// The identity of a request's sender, for access to an order.
  public Future<PaymentService.Requester> askerOf(Request request, OrderId order) {
    List<SessionId> sessions = SessionOf.all(request);
    return usersOf(request, order.product())
        .map(users -> new PaymentService.Requester(sessions, users));
  }

  /// The users as whom a sale counts a request's sender: its account, and the browser itself, which
  /// owns what its guests bought.
  public Future<List<String>> usersOf(Request request, ProductId product) {
    DeviceId device = request.returning();
    return buyers
        .userOf(request, product)
        .map(
            user -> {
              List<String> users = new ArrayList<>(2);
              user.ifPresent(users::add);
              if (device != null) {
                users.add(devices.apply(product, device));
              }
              return users;
            });
  }

  /// The payment page of a new reservation; null when the current page pays by the API.
  public @Nullable String payUrl(PurchaseOutcome.Reserved reserved) {
    Order order =
        new Order(
            reserved.order(),
            NOBODY,
            "",
            "",
            reserved.quantity(),
            reserved.amount(),
            OrderStatus.PENDING,
            0,
            reserved.payBy(),
            false,
            reserved.remaining(),
            1,
            null,
            0,
            null);
    return service.paymentUrl(order);
  }

  public void start() {
    deadlines.start();
    refunds.start();
    details.start();
  }

  /// Stops both and waits a few seconds for work in progress.
  @Override
  public void close() {
    details.close();
    refunds.close();
    deadlines.close();
    gateway.close();
    http.close();
  }

  private static String name(PaymentConfig.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static HostedGateway hostedGateway(
      PaymentConfig config, ProviderHttp http, PostgresDatabase database, Clock clock) {
    PaymentConfig.Account account = Objects.requireNonNull(config.account());
    PostgresCheckouts checkouts = new PostgresCheckouts(database, name(config.provider()));
    return switch (config.provider()) {
      case STRIPE ->
          new StripePayments(
              http, account, new StripeSignature(config.webhookSecrets(), clock), checkouts, clock);
      case LINEPAY ->
          new LinePayPayments(
              http, account, new PostgresRefundJournal(database, IN_FLIGHT), UUID::randomUUID);
      case ECPAY ->
          new EcpayPayments(
              http, account, new PostgresRefundJournal(database, IN_FLIGHT), checkouts, clock);
      case SANDBOX, WEBHOOK -> throw new IllegalArgumentException("no pages of its own");
    };
  }
}
