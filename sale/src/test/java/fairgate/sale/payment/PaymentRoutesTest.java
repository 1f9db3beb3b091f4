package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestIds;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.WebhookSignature;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.platform.observe.Metrics;
import fairgate.sale.ledger.LedgerWait;
import fairgate.sale.ledger.OrderStatus;
import fairgate.testkit.FakeGateway;
import fairgate.testkit.FakeGateway.Paid;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The routes of orders and payments over a socket.
final class PaymentRoutesTest {
  private static final Clock CLOCK = Clock.systemUTC();
  private static final Ids IDS = new TestIds();

  private final SaleWorld world = new SaleWorld(5);
  private final FakeGateway gateway = FakeGateway.start(PaymentDeskTest.SECRET, CLOCK);
  private final Metrics metrics = new Metrics();
  private final SandboxPayments sandbox =
      new SandboxPayments(
          SaleWorld.REDIS,
          IDS,
          new WebhookSignature(List.of(PaymentDeskTest.SECRET), CLOCK),
          new ProviderHealth(System::nanoTime));
  private volatile boolean behind;
  private final HttpServer server = serve();
  private final HttpClient client = HttpClient.newHttpClient();
  private final URI webhook = uri("/api/payments/webhook");

  /// As accounts go in these tests, a header names them.
  private static Future<PaymentService.Requester> asker(Request request, OrderId order) {
    return Future.succeededFuture(
        new PaymentService.Requester(
            SessionOf.all(request),
            Optional.ofNullable(request.header("x-account")).stream().toList()));
  }

  private Future<Set<LedgerWait.Fact>> learnt(List<LedgerWait.Fact> facts) {
    return Future.succeededFuture(behind ? Set.of() : Set.copyOf(facts));
  }

  private HttpServer serve() {
    PaymentMetrics counts = new PaymentMetrics(metrics);
    Settlement settlement =
        new Settlement(
            world.book,
            sandbox,
            counts,
            () -> List.of(world.product),
            (order, _) -> order,
            new RefundList(world));
    LedgerWait ledger =
        new LedgerWait(SaleWorld.VERTX, this::learnt, Duration.ofMillis(100), System::nanoTime);
    PaymentService service =
        new PaymentService(
            world.book, sandbox, settlement, ledger, SaleWorld.noDetails(), SaleWorld.noDisputes());
    KeyRing keys = new KeyRing("k", Map.of("k", new byte[32]));
    return HttpServer.start(
        SaleWorld.VERTX,
        HttpConfig.defaults().withAddress("127.0.0.1", 0),
        new PaymentRoutes(service, sandbox, counts, PaymentRoutesTest::asker).routes(),
        new HttpDependencies(IDS, keys, metrics));
  }

  @AfterEach
  void close() {
    client.close();
    gateway.close();
    server.drain(Duration.ofSeconds(2)).await();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private HttpResponse<String> get(Order order, String session) {
    return send(
        HttpRequest.newBuilder(uri("/api/orders/" + order.id())).header("X-Session-Id", session));
  }

  private HttpResponse<String> post(Order order, String step, String body) {
    return send(
        HttpRequest.newBuilder(uri("/api/orders/" + order.id() + step))
            .header("X-Session-Id", order.session().value())
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static Paid paid(String id, Order order) {
    return new Paid(id, order.amount().minorUnits(), order.amount().currency());
  }

  private static long seconds() {
    return CLOCK.instant().getEpochSecond();
  }

  @Test
  void theOwnerSeesTheOrder() {
    Order order = world.reserve(2, 60_000);
    HttpResponse<String> reply = get(order, order.session().value());
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(reply.body())
        .isEqualTo(
            """
            {"success":true,"order_id":"%s","order_number":"%s","product_id":"%s","quantity":2,"amount":19998,\
            "currency":"TWD","currency_exponent":2,"status":"pending","created_at":%d,"pay_by":%d,"deadline_stopped":false,"declined_at":null,"payment_url":"/pay/%s",\
            "details_url":null,"remaining_stock":3}\
            """
                .formatted(
                    order.id(),
                    order.id().number(),
                    world.product,
                    order.createdAt(),
                    order.payBy(),
                    order.id()));
  }

  @Test
  void theAccountItWasBoughtForSeesItFromAnyDevice() {
    Order order = world.reserve(1, 60_000);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri("/api/orders/" + order.id()));
    assertThat(send(request.copy().header("X-Account", order.user())).statusCode()).isEqualTo(200);
    assertThat(send(request.copy().header("X-Account", order.user() + "x")).statusCode())
        .isEqualTo(404);
  }

  @Test
  void nobodyElseSeesIt() {
    Order order = world.reserve(1, 60_000);
    assertThat(get(order, UUID.randomUUID().toString()).statusCode()).isEqualTo(404);
    assertThat(get(order, "nonsense").statusCode()).isEqualTo(404);
    HttpResponse<String> unnamed = send(HttpRequest.newBuilder(uri("/api/orders/" + order.id())));
    assertThat(unnamed.statusCode()).isEqualTo(404);
    assertThat(unnamed.body()).contains("\"ORDER_NOT_FOUND\"");
    assertThat(send(HttpRequest.newBuilder(uri("/api/orders/x%20y"))).statusCode()).isEqualTo(404);
  }

  @Test
  void payingInTheSandboxConfirmsAndARepeatChangesNothing() {
    Order order = world.reserve(1, 60_000);
    HttpResponse<String> first = post(order, "/pay", "");
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).contains("\"status\":\"paid\"");
    assertThat(post(order, "/pay", "{\"result\":\"paid\"}").body()).isEqualTo(first.body());
    assertThat(world.kinds()).containsExactly("confirmed");
  }

  @Test
  void whileTheSandboxIsAwayNobodyPaysAndTheOrderStaysOpen() {
    Order order = world.reserve(1, 60_000);
    SaleWorld.redis("SET", "sandbox:away", "1", "EX", "60");
    for (String step : List.of("/pay", "/cancel")) {
      HttpResponse<String> refused = post(order, step, "");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("\"PAYMENT_PROVIDER_UNAVAILABLE\"", "\"retry_after\":2");
    }
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    SaleWorld.redis("DEL", "sandbox:away");
    assertThat(post(order, "/pay", "").statusCode()).isEqualTo(200);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
  }

  @Test
  void aFailedPaymentLeavesTheOrderOpen() {
    Order order = world.reserve(1, 60_000);
    HttpResponse<String> reply = post(order, "/pay", "{\"result\":\"failed\"}");
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(reply.body())
        .contains("\"status\":\"pending\"")
        .containsPattern("\"declined_at\":[0-9]{13}");
    assertThat(post(order, "/pay", "{}").body()).contains("\"status\":\"paid\"");
  }

  @Test
  void aSilentPaymentIsFoundWhenTheOrderIsClosed() {
    Order order = world.reserve(1, 60_000);
    assertThat(post(order, "/pay", "{\"result\":\"silent\"}").body())
        .contains("\"status\":\"pending\"");
    HttpResponse<String> cancel = post(order, "/cancel", "");
    assertThat(cancel.statusCode()).isEqualTo(409);
    assertThat(cancel.body()).contains("\"ORDER_STATE_CONFLICT\"").contains("\"paid\"");
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
  }

  @Test
  void cancellingFreesTheUnitsOnceAndPayingAfterwardsIsRefused() {
    Order order = world.reserve(2, 60_000);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> reply = post(order, "/cancel", "");
      assertThat(reply.statusCode()).isEqualTo(200);
      assertThat(reply.body()).contains("\"status\":\"cancelled\"");
    }
    assertThat(world.free()).isEqualTo(5);
    assertThat(post(order, "/pay", "").statusCode()).isEqualTo(409);
    assertThat(sandbox.pay(order.id(), order.amount())).isEmpty();
  }

  @Test
  void senselessRequestsAreRefused() {
    Order order = world.reserve(1, 60_000);
    assertThat(post(order, "/pay", "{\"result\":\"maybe\"}").statusCode()).isEqualTo(400);
    assertThat(post(order, "/pay", "{\"result\":1}").statusCode()).isEqualTo(400);
    assertThat(post(order, "/pay", "{").statusCode()).isEqualTo(400);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
  }

  @Test
  void aSignedWebhookConfirmsAndDuplicatesGetTheSameAnswer() {
    Order order = world.reserve(1, 60_000);
    String body = FakeGateway.paid(order.id().value(), paid("p1", order));
    for (int i = 0; i < 3; i++) {
      assertThat(gateway.send(webhook, "msg_1", seconds(), body)).isEqualTo(200);
    }
    assertThat(gateway.tell(webhook, order.id().value(), paid("p1", order))).isEqualTo(200);
    assertThat(world.order(order.id()).payment()).isEqualTo("p1");
    assertThat(world.kinds()).containsExactly("confirmed");
  }

  @Test
  void forgedAndStaleWebhooksChangeNothing() {
    Order order = world.reserve(1, 60_000);
    String body = FakeGateway.paid(order.id().value(), paid("p1", order));
    byte[] wrong = new byte[32];
    String forged = FakeGateway.signature(wrong, "msg_1", seconds(), body);
    assertThat(gateway.sendSigned(webhook, "msg_1", seconds(), forged, body)).isEqualTo(401);
    assertThat(gateway.sendSigned(webhook, "msg_1", seconds(), null, body)).isEqualTo(401);
    assertThat(gateway.send(webhook, "msg_1", seconds() - 400, body)).isEqualTo(401);
    assertThat(gateway.send(webhook, "msg_1", seconds() + 400, body)).isEqualTo(401);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.outbox()).isEmpty();
  }

  /// Redis has lost the order and the ledger has not given it back yet: the gateway must tell
  /// again.
  @Test
  void whileTheSaleIsNotWholeTheGatewayIsToldToComeBack() {
    String lost = OrderId.of(world.product, "y".repeat(26)).value();
    String failed = "{\"type\":\"payment.failed\",\"data\":{\"order_id\":\"%s\"}}".formatted(lost);
    SaleWorld.redis("HSET", world.keys.sale(), "run", "another");
    assertThat(gateway.tell(webhook, lost, new Paid("p1", 1, "TWD"))).isEqualTo(503);
    SaleWorld.redis("HSET", world.keys.sale(), "run", "", "state", "rebuilding");
    assertThat(gateway.tell(webhook, lost, new Paid("p1", 1, "TWD"))).isEqualTo(503);
    SaleWorld.redis("DEL", world.keys.sale());
    assertThat(gateway.tell(webhook, lost, new Paid("p1", 1, "TWD"))).isEqualTo(503);
    assertThat(gateway.send(webhook, "msg_9", seconds(), failed)).isEqualTo(503);
    assertThat(metrics.scrape()).contains("result=\"unknown_order\"} 0.0");
    String elsewhere = OrderId.of(new ProductId("8888888888"), "y".repeat(26)).value();
    assertThat(gateway.tell(webhook, elsewhere, new Paid("p1", 1, "TWD"))).isEqualTo(200);
    assertThat(metrics.scrape()).contains("result=\"foreign\"} 1.0");
  }

  /// A gateway that hears yes never tells again, and Redis may be put back from an older copy.
  @Test
  void aPaymentIsAcceptedOnceTheLedgerHasLearntOfIt() {
    Order order = world.reserve(1, 60_000);
    behind = true;
    assertThat(gateway.tell(webhook, order.id().value(), paid("p1", order))).isEqualTo(503);
    assertThat(gateway.tell(webhook, order.id().value(), paid("p1", order))).isEqualTo(503);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    behind = false;
    assertThat(gateway.tell(webhook, order.id().value(), paid("p1", order))).isEqualTo(200);
    assertThat(world.kinds()).containsExactly("confirmed");
  }

  @Test
  void malformedWebhooksAndUnknownOrdersAreRefused() {
    String unknown = OrderId.of(world.product, "z".repeat(26)).value();
    assertThat(gateway.tell(webhook, unknown, new Paid("p1", 1, "TWD"))).isEqualTo(404);
    assertThat(gateway.tell(webhook, "shop-4711", new Paid("p1", 1, "TWD"))).isEqualTo(200);
    assertThat(metrics.scrape())
        .contains("result=\"unknown_order\"} 1.0", "result=\"foreign\"} 1.0");
    String failed = "{\"type\":\"payment.failed\",\"data\":{\"order_id\":\"%s\"}}";
    assertThat(gateway.send(webhook, "msg_1", seconds(), failed.formatted("shop-4711")))
        .isEqualTo(200);
    assertThat(gateway.send(webhook, "msg_1", seconds(), failed.formatted(unknown))).isEqualTo(404);
    for (String body :
        List.of(
            "{",
            "[]",
            "{\"type\":1}",
            "{\"type\":\"payment.paid\"}",
            "{\"type\":\"payment.paid\",\"data\":{\"order_id\":\"" + unknown + "\"}}",
            FakeGateway.paid(unknown, new Paid("p 1", 1, "TWD")),
            FakeGateway.paid(unknown, new Paid("p1", -1, "TWD")),
            FakeGateway.paid(unknown, new Paid("p1", Long.MAX_VALUE, "TWD")),
            FakeGateway.paid(unknown, new Paid("p1", 1, "twd")))) {
      assertThat(gateway.send(webhook, "msg_2", seconds(), body)).as(body).isEqualTo(400);
    }
  }

  @Test
  void aGatewaysRefusalStandsInTheOrder() {
    Order order = world.reserve(1, 60_000);
    String failed = "{\"type\":\"payment.failed\",\"data\":{\"order_id\":\"" + order.id() + "\"}}";
    assertThat(gateway.send(webhook, "msg_3", seconds(), failed)).isEqualTo(200);
    assertThat(gateway.send(webhook, "msg_4", seconds(), "{\"type\":\"news\"}")).isEqualTo(200);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PENDING);
    assertThat(world.order(order.id()).declinedAt()).isPositive();
  }

  @Test
  void lateMoneyByWebhookBuysAgainWhileUnitsAreFree() {
    Order order = world.reserve(1, -1);
    assertThat(world.book.release(order.id(), ReleaseOutcome.Reason.EXPIRED).await())
        .isEqualTo(new ReleaseOutcome.Released());
    assertThat(gateway.tell(webhook, order.id().value(), paid("p1", order))).isEqualTo(200);
    assertThat(world.status(order)).isEqualTo(OrderStatus.PAID);
    world.assertConserved();
  }

  @Test
  void anOrderThatRedisMayHaveLostIsNotSaidToBeUnknown() {
    Order order = world.reserve(1, 60_000);
    String session = order.session().value();
    var _ = SaleWorld.redis("DEL", world.keys.order(order.id()));
    assertThat(get(order, session).statusCode()).isEqualTo(404);
    var _ = SaleWorld.redis("HSET", world.keys.sale(), "state", "rebuilding");
    assertThat(get(order, session).statusCode()).isEqualTo(503);
    assertThat(post(order, "/pay", "").statusCode()).isEqualTo(503);
    assertThat(post(order, "/cancel", "").statusCode()).isEqualTo(503);
    var _ = SaleWorld.redis("DEL", world.keys.sale());
    HttpResponse<String> lost = get(order, session);
    assertThat(lost.statusCode()).isEqualTo(503);
    assertThat(lost.headers().firstValue("retry-after")).isPresent();
  }
}
