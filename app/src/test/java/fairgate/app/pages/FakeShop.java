package fairgate.app.pages;

import fairgate.TestIds;
import fairgate.catalog.ProductContent;
import fairgate.gate.policy.RulesInWords;
import fairgate.gate.risk.RiskAction;
import fairgate.kernel.Audit;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Action;
import fairgate.platform.http.Guard;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import fairgate.platform.page.Brand;
import fairgate.platform.page.PageSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The real pages on the real web server, with a fake sale in a few maps, so the page tests need no
/// engines. It has no event stream, so it also shows that polling is enough.
final class FakeShop implements Shop, FormActions {
  private static final String MISSED = "missed";
  private static final long PAUSE_MS = 9_000;
  private static final long WINDOW_MS = 300_000;

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final Clock clock = Clock.systemUTC();
  private final AtomicInteger number = new AtomicInteger();
  private final Map<String, JsonObject> products = new ConcurrentSkipListMap<>();
  private final Map<String, Boolean> open = new ConcurrentHashMap<>();
  private final Map<String, Place> places = new ConcurrentHashMap<>();
  private final Map<String, Order> orders = new ConcurrentHashMap<>();

  private volatile boolean banned;
  private volatile boolean coolingDown;
  private volatile boolean providerAway;
  private volatile boolean deadlinesStopped;
  private volatile String deposits = "paid";
  private final Map<String, Boolean> soldOut = new ConcurrentHashMap<>();
  private final Set<String> gone = ConcurrentHashMap.newKeySet();
  private final Set<String> closed = ConcurrentHashMap.newKeySet();

  /// Bans all callers, as the ban guard does, except for assets.
  private final class Doorkeeper implements Guard {
    @Override
    public @Nullable RouteGuard routeGuard(Action action, RouteLimits limits) {
      return action.path().startsWith("/assets/") ? null : new Door();
    }

    private final class Door implements RouteGuard {
      @Override
      public @Nullable Reply enter(Request request) {
        return banned
            ? Reply.refuse(
                Refusal.of(ErrorCode.CLIENT_BANNED)
                    .with("decision_id", "decision-4711")
                    .with("appeal_url", "/appeal/decision-4711")
                    .with("banned_until", clock.millis() + WINDOW_MS))
            : null;
      }

      @Override
      public Future<Optional<Reply>> judge(Request request) {
        return PASS;
      }

      @Override
      public void left(Request request) {}
    }
  }

  /// Sets whether other buyers have reserved all units of a sale.
  void hold(String id, boolean all) {
    soldOut.put(id, all);
  }

  /// Sells all units, and all are paid.
  void sell(String id) {
    gone.add(id);
    hold(id, true);
  }

  /// Ends the turns of everybody, with a pause.
  void missTurns() {
    places.replaceAll((session, place) -> new Place(MISSED, place.number, null));
  }

  /// Sets whether an unpaid order blocks joins.
  void coolDown(boolean everybody) {
    coolingDown = everybody;
  }

  /// Sets whether the payment provider answers nothing, and whether deadlines stand still for it.
  void takeProviderAway(boolean isAway, boolean isStopped) {
    providerAway = isAway;
    deadlinesStopped = isStopped;
  }

  /// Sets the state of all deposits.
  void endDeposits(String state) {
    deposits = state;
  }

  /// Everybody has a deposit of a fifth of the price where the product has one.
  private Optional<String> deposit(String product) {
    return Optional.ofNullable(products.get(product))
        .filter(it -> it.get("deposit") != null)
        .map(
            _ ->
                JsonText.object()
                    .put("deposit_id", "order_%s_u%025d".formatted(product, 1))
                    .put("amount", 20_000)
                    .put("currency", "TWD")
                    .put("currency_exponent", 2)
                    .put("status", deposits)
                    .put("passed", "kept")
                    .put("offered", false)
                    .toString());
  }

  /// Closes a sale by its time; open purchase windows continue.
  void closeSale(String id) {
    closed.add(id);
  }

  private String state(String id) {
    if (closed.contains(id)) {
      return "closed";
    }
    return isSoldOut(id) ? "sold_out" : open.containsKey(id) ? "open" : "scheduled";
  }

  private boolean isSoldOut(String id) {
    return soldOut.getOrDefault(id, false);
  }

  /// Sets whether all callers are banned.
  void ban(boolean everybody) {
    banned = everybody;
  }

  private record Place(String product, int number, @Nullable String order) {}

  private record Order(String id, String product, int quantity, String status, boolean declined) {}

  FakeShop() {
    PageSources sources =
        new PageSources(
            () -> Future.succeededFuture(List.copyOf(productTexts())),
            id -> Future.succeededFuture(product(id.value())),
            session -> Future.succeededFuture(status(session.value())),
            (request, order) -> Future.succeededFuture(order(order.value())),
            (_, product, _, _) -> Future.succeededFuture(deposit(product.value())),
            language ->
                new RulesInWords(
                    List.of("Raises in " + language.tag()),
                    List.of("Lowers in " + language.tag()),
                    List.of(RiskAction.PASS, RiskAction.SEAT_BEHIND)),
            (_, _) -> Optional.empty(),
            _ -> ProductContent.EMPTY);
    PageSettings settings =
        new PageSettings(
            "TWD",
            ZoneOffset.UTC,
            true,
            List.of(),
            "help@shop.example",
            true,
            true,
            true,
            Brand.FAIRGATE);
    ShopPages pages = new ShopPages(sources, this, settings, clock);
    List<Route> routes = new ArrayList<>(pages.routes());
    routes.addAll(api());
    byte[] secret = new byte[32];
    HttpDependencies seams =
        new HttpDependencies(
            new TestIds(),
            new KeyRing("k", Map.of("k", secret)),
            new Metrics(),
            new Doorkeeper(),
            Audit.none(),
            (_, _) -> {},
            null,
            pages.refusals());
    server =
        HttpServer.start(vertx, HttpConfig.defaults().withAddress("127.0.0.1", 0), routes, seams);
  }

  @Override
  public String baseUrl() {
    return "http://127.0.0.1:" + server.port();
  }

  @Override
  public void createProduct(String json) {
    JsonObject product = Json.parseObject(json);
    products.put(String.valueOf(product.get("id")), product);
  }

  @Override
  public void openSale(String id) {
    open.put(id, true);
  }

  @Override
  public void close() {
    server.drain(Duration.ofMillis(100)).toCompletionStage().toCompletableFuture().join();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private List<Route> api() {
    return List.of(
        Route.get("/api/products", request -> json("[" + String.join(",", productTexts()) + "]")),
        Route.get("/api/products/{id}", request -> found(product(request.pathParam("id")))),
        Route.get("/api/challenge/config", request -> json("{\"provider\":\"test\"}")),
        Route.get(
            "/api/challenge",
            request -> json("{\"provider\":\"test\",\"token\":\"XXXX.DUMMY.TOKEN.XXXX\"}")),
        Route.post("/api/queue/join", request -> joined(request.json().text("product_id"))),
        Route.get("/api/queue/status", request -> found(status(session(request)))),
        Route.post(
            "/api/queue/leave",
            request -> {
              left(session(request));
              return json("{\"success\":true}");
            }),
        Route.post(
            "/api/purchase",
            request -> bought(session(request), request.json().integer("quantity", 1, 2))),
        Route.get("/api/orders/{id}", request -> found(order(request.pathParam("id")))),
        Route.get(
            "/api/deposits/{id}",
            request -> found(deposit(request.pathParam("id").split("_", -1)[1]))),
        Route.post(
            "/api/orders/{id}/pay",
            request -> settled(request.pathParam("id"), request.json().text("result"))),
        Route.post(
            "/api/orders/{id}/cancel", request -> settled(request.pathParam("id"), "cancelled")));
  }

  @Override
  public Future<Outcome> join(Request request, ProductId product) {
    return Future.succeededFuture(
        new Outcome.Joined(new SessionId(take(product.value())), Duration.ofDays(1)));
  }

  @Override
  public Future<Outcome> leave(Request request, SessionId session) {
    left(session.value());
    return Future.succeededFuture(new Outcome.Done());
  }

  @Override
  public String turnProof(SessionId session, long readyAt) {
    return "proof";
  }

  @Override
  public Future<Outcome> buy(Request request, Purchase purchase) {
    Outcome outcome =
        order(purchase.session().value(), purchase.quantity())
            .<Outcome>map(_ -> new Outcome.Done())
            .orElseGet(() -> new Outcome.Refused(Refusal.of(ErrorCode.NOT_READY)));
    return Future.succeededFuture(outcome);
  }

  @Override
  public Future<Outcome> pay(Request request, OrderId order, String result) {
    if (providerAway) {
      Refusal away = Refusal.of(ErrorCode.PAYMENT_PROVIDER_UNAVAILABLE);
      return Future.succeededFuture(new Outcome.Refused(away.retryAfter(Duration.ofSeconds(2))));
    }
    return settled(order.value(), result).map(_ -> new Outcome.Done());
  }

  private Future<Reply> joined(String product) {
    if (coolingDown) {
      return Future.succeededFuture(
          Reply.json(
              429,
              """
              {"success": false, "error": "UNPAID_COOLDOWN", "message": "Not yet.", "retry_after": 9}
              """));
    }
    String session = take(product);
    return Future.succeededFuture(
        Reply.json(
                200,
                JsonText.object()
                    .put("success", true)
                    .put("session_id", session)
                    .put("queue_position_waiting", 0)
                    .put("queue_status", "waiting")
                    .bytes())
            .cookie("fairgate_session", session, Duration.ofDays(1)));
  }

  private void left(String session) {
    places.computeIfPresent(session, (key, place) -> new Place("", 0, null));
  }

  private String take(String product) {
    String session = UUID.randomUUID().toString();
    places.put(session, new Place(product, number.incrementAndGet(), null));
    return session;
  }

  private Future<Reply> bought(String session, int quantity) {
    return order(session, quantity)
        .map(order -> found(order(order.id())))
        .orElseGet(() -> Future.succeededFuture(Reply.refuse(Refusal.of(ErrorCode.NOT_READY))));
  }

  private Optional<Order> order(String session, int quantity) {
    Place place = places.get(session);
    if (place == null || !open.containsKey(place.product)) {
      return Optional.empty();
    }
    String tail = String.format("%026d", number.incrementAndGet());
    Order order =
        new Order("order_" + place.product + "_" + tail, place.product, quantity, "pending", false);
    orders.put(order.id, order);
    places.put(session, new Place(place.product, place.number, order.id));
    return Optional.of(order);
  }

  private Future<Reply> settled(String id, String result) {
    orders.computeIfPresent(
        id,
        (key, order) ->
            result.equals("paid") || result.equals("cancelled")
                ? new Order(id, order.product, order.quantity, result, false)
                : new Order(
                    id, order.product, order.quantity, order.status, result.equals("failed")));
    return found(order(id));
  }

  private List<String> productTexts() {
    return products.keySet().stream().map(id -> product(id).orElseThrow()).toList();
  }

  private Optional<String> product(String id) {
    return Optional.ofNullable(products.get(id))
        .map(
            product -> {
              JsonText json = JsonText.object().put("currency", "TWD").put("currency_exponent", 2);
              product.names().forEach(name -> json.putAny(name, product.get(name)));
              return json.putAny(
                      "remaining_stock", isSoldOut(id) ? (Object) 0L : product.get("total_stock"))
                  .put("max_quantity", 2)
                  .put("held_stock", isSoldOut(id) && !gone.contains(id) ? 3 : 0)
                  .put(
                      "next_payment_deadline_at",
                      isSoldOut(id) ? clock.instant().plusSeconds(120).toString() : null)
                  .put("status", state(id))
                  .toString();
            });
  }

  private Optional<String> status(String session) {
    Place place = places.get(session);
    if (place == null) {
      return Optional.empty();
    }
    if (place.product.equals(MISSED)) {
      return Optional.of(
          JsonText.object()
              .put("queue_status", "expired")
              .put("ended", "window")
              .put("rejoin_at", clock.millis() + PAUSE_MS)
              .toString());
    }
    if (place.product.isEmpty()) {
      return Optional.of("{\"queue_status\": \"expired\", \"ended\": \"left\"}");
    }
    boolean ready = open.containsKey(place.product);
    long ahead =
        places.values().stream()
            .filter(other -> other.product.equals(place.product) && other.number < place.number)
            .count();
    JsonText json =
        JsonText.object()
            .put("session_id", session)
            .put("product_id", place.product)
            .put("queue_position_waiting", ready ? -1 : ahead)
            .put("queue_position_active", ready ? ahead : -1)
            .put("total_in_waiting", places.size())
            .put("total_in_active", 1)
            .put("estimated_wait_time", -1)
            .put("people_ahead", ahead)
            .put("sale_status", state(place.product))
            .put("poll_after_ms", 500)
            .put("server_time", clock.millis());
    if (place.order != null) {
      return Optional.of(
          json.put("queue_status", "purchased").put("order_id", place.order).toString());
    }
    if (ready) {
      json.put("purchase_timeout_at", clock.millis() + WINDOW_MS);
    }
    return Optional.of(
        json.put("queue_status", ready ? "ready_to_purchase" : "waiting").toString());
  }

  private Optional<String> order(String id) {
    return Optional.ofNullable(orders.get(id))
        .map(
            order ->
                JsonText.object()
                    .put("success", true)
                    .put("order_id", order.id)
                    .put("product_id", order.product)
                    .put("quantity", order.quantity)
                    .put("amount", 99_900L * order.quantity)
                    .put("currency", "TWD")
                    .put("currency_exponent", 2)
                    .put("status", order.status)
                    .putAny("declined_at", order.declined ? (Object) clock.millis() : null)
                    .put("pay_by", clock.millis() + WINDOW_MS)
                    .put("deadline_stopped", deadlinesStopped)
                    .put("payment_url", "/pay/" + order.id)
                    .toString());
  }

  private static Future<Reply> found(Optional<String> json) {
    return json.map(FakeShop::json)
        .orElseGet(
            () -> Future.succeededFuture(Reply.refuse(Refusal.of(ErrorCode.SESSION_NOT_FOUND))));
  }

  private static Future<Reply> json(String json) {
    return Future.succeededFuture(Reply.json(200, json));
  }

  private static String session(Request request) {
    return Optional.ofNullable(request.header("x-session-id"))
        .or(() -> Optional.ofNullable(request.cookie("fairgate_session")))
        .orElse("");
  }
}
