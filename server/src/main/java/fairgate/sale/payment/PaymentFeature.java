package fairgate.sale.payment;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Ids;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SessionOf;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.PurchaseOutcome;
import fairgate.sale.payment.fact.LedgerWait;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The wiring of payment.
public final class PaymentFeature implements AutoCloseable {
  /// No provider is told whose order it is.
  private static final SessionId NOBODY = new SessionId("00000000-0000-0000-0000-000000000000");

  /// Gateways hang up after five seconds and more.
  private static final Duration LEDGER_PATIENCE = Duration.ofSeconds(3);

  private final PaymentService service;
  private final PaymentProvider provider;
  private final PaymentRoutes routes;
  private final PaymentDeadlines deadlines;
  private final Refunds refunds;
  private final GatewayClient gateway;
  private final Function<Request, Future<Optional<String>>> accounts;

  private PaymentFeature(PaymentConfig config, Stores stores, Seams seams) {
    PaymentMetrics metrics = new PaymentMetrics(seams.metrics());
    WebhookSignature signature = new WebhookSignature(config.webhookSecrets(), seams.clock());
    OrderBook book = new OrderBook(stores.redis(), stores.style(), config.late());
    this.gateway = new GatewayClient(signature, config.timeLimit());
    this.provider =
        switch (config.provider()) {
          case SANDBOX -> new SandboxPayments(stores.redis(), seams.ids());
          case WEBHOOK -> new WebhookPayments(config, gateway);
        };
    Settlement settlement = new Settlement(book, provider, metrics, stores.products());
    LedgerWait ledger = LedgerWait.on(stores.database(), seams.vertx(), LEDGER_PATIENCE);
    this.service = new PaymentService(book, provider, settlement, ledger);
    this.accounts = seams.accounts();
    this.routes = new PaymentRoutes(service, signature, metrics, this::askerOf);
    this.deadlines = new PaymentDeadlines(seams.vertx(), book, settlement, stores.products());
    this.refunds =
        new Refunds(seams.vertx(), new PostgresRefunds(stores.database()), book, provider, metrics);
  }

  /// What payment reads and writes.
  ///
  /// @param products whose orders' deadlines this node looks after, asked anew every time
  public record Stores(
      RedisClient redis,
      SaleKeys.Style style,
      PostgresDatabase database,
      Supplier<? extends Collection<ProductId>> products) {}

  /// What payment takes from outside.
  ///
  /// @param accounts the id of the account that makes a request; empty for a guest
  public record Seams(
      Vertx vertx,
      Clock clock,
      Ids ids,
      Metrics metrics,
      Function<Request, Future<Optional<String>>> accounts) {}

  /// Puts the parts together; nothing runs before `start`.
  public static PaymentFeature wire(PaymentConfig config, Stores stores, Seams seams) {
    return new PaymentFeature(config, stores, seams);
  }

  public PaymentService service() {
    return service;
  }

  /// For the purchase, which tells buyers where to pay.
  public PaymentProvider provider() {
    return provider;
  }

  public List<Route> routes() {
    return routes.routes();
  }

  /// An order as its owner sees it; empty for everybody else.
  public Future<Optional<String>> order(Request request, OrderId id) {
    return askerOf(request)
        .compose(asker -> service.find(id, asker))
        .map(found -> found.map(order -> new String(routes.json(order), StandardCharsets.UTF_8)));
  }

  /// Who makes a request, as far as orders are concerned.
  public Future<PaymentService.Asker> askerOf(Request request) {
    SessionId session = SessionOf.optional(request);
    return accounts
        .apply(request)
        .map(account -> new PaymentService.Asker(session, account.orElse(null)));
  }

  /// Where a buyer pays for units just reserved; null when the page at hand does it by the API.
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
            reserved.remaining(),
            1,
            null);
    return provider.start(order).paymentUrl();
  }

  /// Starts looking after deadlines and refunds.
  public void start() {
    deadlines.start();
    refunds.start();
  }

  /// Stops both and waits a few seconds for what is at hand.
  @Override
  public void close() {
    refunds.close();
    deadlines.close();
    gateway.close();
  }
}
