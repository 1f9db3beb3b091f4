package fairgate.sale;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.VIEWER;

import fairgate.catalog.Catalog;
import fairgate.catalog.Catalog.BatchOutcome;
import fairgate.catalog.Catalog.StockBatch;
import fairgate.catalog.PolicyJson;
import fairgate.catalog.PolicyProblem;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Rows;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Products, sales and stock for operators. Every method blocks. A change is in PostgreSQL and
/// Redis when its response is sent.
final class ProductAdmin {
  private static final int MAX_UNITS = PolicyJson.MOST_UNITS;
  private static final int LIST_SECONDS = 2;
  private static final int MAX_BODY = 256 * 1024;

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(ProductAdmin.class), "products for operators");

  private final Catalog catalog;
  private final SaleSync sync;
  private final SaleService sales;

  private final Predicate<SalePolicy.Identity> verifiable;
  private final SaleFeature.PriceCheck prices;
  private final Clock clock;
  private final RandomGenerator chance;

  /// @param verifiable whether buyers can verify what a sale would count
  /// @param chance draws the gaps between batches
  ProductAdmin(
      Catalog catalog,
      SaleSync sync,
      SaleService sales,
      Predicate<SalePolicy.Identity> verifiable,
      SaleFeature.PriceCheck prices,
      Clock clock,
      RandomGenerator chance) {
    this.chance = chance;
    this.prices = prices;
    this.verifiable = verifiable;
    this.clock = clock;
    this.catalog = catalog;
    this.sync = sync;
    this.sales = sales;
  }

  List<Route> routes(AdminGuard admin) {
    List<Route> routes = new ArrayList<>();
    routes.add(
        Route.blockingGet("/api/admin/products", admin.guard(AdminInput.query("live"), this::list))
            .roles(VIEWER));
    routes.add(
        Route.blockingPost("/api/admin/products", admin.guard(ProductBody.INPUT, this::create))
            .roles(SELLER)
            .withBodyLimit(MAX_BODY));
    routes.add(Route.blockingGet("/api/admin/products/{id}", admin.guard(this::one)).roles(VIEWER));
    routes.add(
        Route.blockingPut("/api/admin/products/{id}", admin.guard(ProductBody.INPUT, this::replace))
            .roles(SELLER)
            .withBodyLimit(MAX_BODY));
    routes.add(
        Route.blockingPatch(
                "/api/admin/products/{id}", admin.guard(ProductBody.INPUT, this::change))
            .roles(SELLER)
            .withBodyLimit(MAX_BODY));
    for (ProductState.Step step : ProductState.Step.values()) {
      Handler.Blocking handler = request -> step(request, step);
      routes.add(
          Route.blockingPost("/api/admin/products/{id}/" + step.word(), admin.guard(handler))
              .roles(SELLER)
              .withReason(step == ProductState.Step.CLOSE));
    }
    routes.add(
        Route.blockingPost(
                "/api/admin/products/{id}/stock",
                admin.guard(AdminInput.body("quantity", "key"), this::stock))
            .roles(SELLER));
    routes.add(
        Route.blockingGet("/api/admin/products/{id}/live", admin.guard(this::live)).roles(VIEWER));
    return routes;
  }

  /// Lists all products; with `live=true` also the counters of each sale, which are missing where
  /// Redis does not answer.
  private Reply list(Request request) {
    List<Product> products =
        catalog.all().stream().sorted(Comparator.comparing(Product::id)).toList();
    boolean live = AdminQuery.flag(request, "live");
    Map<ProductId, Future<LiveCounters>> read = new HashMap<>();
    if (live) {
      products.forEach(product -> read.put(product.id(), sales.live(product.id())));
    }
    JsonText all = JsonText.array();
    ROWS.of(products, product -> row(product, read.get(product.id())), Product::id)
        .forEach(all::add);
    return Reply.json(200, JsonText.object().put("products", all).bytes());
  }

  private JsonText row(Product product, @Nullable Future<LiveCounters> live) {
    JsonText json = json(product);
    return live == null ? json : json.putAny("live", counters(live));
  }

  private Reply one(Request request) {
    return catalog
        .find(id(request))
        .map(product -> reply(200, product))
        .orElseGet(ProductAdmin::unknown);
  }

  private Reply create(Request request) {
    ProductBody body = ProductBody.of(request, chance);
    ProductId id = body.id();
    Product.Draft draft = joinable(body.whole(catalog.find(id)), SalePolicy.Identity.DEVICE);
    payable(draft);
    return changed(
        catalog.create(id, draft.details(), draft.policy(), AdminGuard.actor(request)), 201);
  }

  /// Replaces name, price and stock, and the other fields that are present.
  private Reply replace(Request request) {
    ProductBody body = ProductBody.of(request, chance).about(id(request));
    return update(request, body, body::replacing);
  }

  /// Changes the fields that are present.
  private Reply change(Request request) {
    ProductBody body = ProductBody.of(request, chance).about(id(request));
    return update(request, body, body::changing);
  }

  private Reply update(Request request, ProductBody body, Function<Product, Product.Draft> change) {
    String actor = AdminGuard.actor(request);
    return changed(
        catalog.update(
            id(request),
            was -> {
              Product.Draft draft = joinable(change.apply(was), was.policy().fairness().identity());
              if (!asks(draft.details(), draft.policy())
                  .equals(asks(was.details(), was.policy()))) {
                payable(draft);
              }
              return draft;
            },
            body.confirmed(),
            actor),
        200);
  }

  /// Refuses a sale that nobody could join, because this server has no way to verify what it
  /// counts. A sale that counts it already can still be changed.
  private Product.Draft joinable(Product.Draft draft, SalePolicy.Identity was) {
    SalePolicy.Identity identity = draft.policy().fairness().identity();
    if (identity != was && !verifiable.test(identity)) {
      throw new InvalidRequest(
          "policy.identity",
          identity == SalePolicy.Identity.PERSON ? "needs_register" : "needs_sms");
    }
    return draft;
  }

  /// What decides about the payment of an order.
  private static List<Object> asks(Product.Details details, SalePolicy policy) {
    return List.of(
        details.price(),
        policy.payment().required(),
        policy.limits().maxQuantity(),
        Optional.ofNullable(policy.payment().deposit()));
  }

  /// Refuses a price that the payment provider can never take: every buyer would hold units and get
  /// no payment page.
  private void payable(Product.Draft draft) {
    Money price = draft.details().price();
    if (draft.policy().payment().required() && price.minorUnits() > 0) {
      prices
          .problem(price, draft.policy().limits().maxQuantity())
          .ifPresent(
              found -> {
                throw new InvalidRequest("price", found.messageKey(), found.bound());
              });
      depositPayable(price, draft.policy());
    }
  }

  /// The deposit and what is left of the price are two payments.
  private void depositPayable(Money price, SalePolicy policy) {
    SalePolicy.Deposit deposit = policy.payment().deposit();
    if (deposit == null) {
      return;
    }
    Money first = deposit.of(price);
    long left = price.minorUnits() - first.minorUnits();
    prices
        .problem(first, 1)
        .or(
            () ->
                left > 0 ? prices.problem(new Money(left, price.currency()), 1) : Optional.empty())
        .ifPresent(
            found -> {
              throw new InvalidRequest("policy.deposit", found.messageKey(), found.bound());
            });
  }

  private Reply step(Request request, ProductState.Step step) {
    if (step == ProductState.Step.OPEN) {
      catalog
          .find(id(request))
          .ifPresent(found -> payable(new Product.Draft(found.details(), found.policy())));
    }
    return changed(catalog.step(id(request), step, AdminGuard.actor(request)), 200);
  }

  /// Adds a batch of stock, once per idempotency key. Units that are added while a draw of the sale
  /// runs are not in it.
  private Reply stock(Request request) {
    JsonBody body = request.json();
    int quantity = body.integer("quantity", 1, MAX_UNITS);
    String key = body.text("key", 1, 200);
    ProductId id = id(request);
    return switch (catalog.addBatch(id, quantity, key)) {
      case BatchOutcome.Added(StockBatch batch, boolean isAfterDraw) ->
          added(id, batch, false, isAfterDraw);
      case BatchOutcome.Repeated(StockBatch batch, boolean isAfterDraw) ->
          added(id, batch, true, isAfterDraw);
      case BatchOutcome.KeyTaken(StockBatch batch) ->
          Reply.refuse(
              Refusal.of(ErrorCode.IDEMPOTENCY_CONFLICT).with("quantity", batch.quantity()));
      case BatchOutcome.UnknownProduct() -> unknown();
      case BatchOutcome.StateConflict(ProductState state) -> conflict(state);
      case BatchOutcome.Invalid(var problem) -> throw PolicyProblem.invalid("", List.of(problem));
    };
  }

  private Reply live(Request request) {
    ProductId id = id(request);
    if (catalog.findOrReload(id).isEmpty()) {
      return unknown();
    }
    return Reply.json(200, json(id, counters(id)).bytes());
  }

  private Reply added(ProductId id, StockBatch batch, boolean repeated, boolean isAfterDraw) {
    catalog.find(id).ifPresent(sync::sync);
    return Reply.json(
        200,
        JsonText.object()
            .put("success", true)
            .put("product_id", id.value())
            .put("batch", batch.seq())
            .put("quantity", batch.quantity())
            .put("repeated", repeated)
            .put("after_draw", isAfterDraw)
            .put("live", json(id, counters(id)))
            .bytes());
  }

  private Reply changed(Catalog.Outcome outcome, int status) {
    return switch (outcome) {
      case Catalog.Outcome.Done(Product product) -> {
        sync.sync(product);
        yield reply(status, product);
      }
      case Catalog.Outcome.Unchanged(Product product) -> {
        // An earlier attempt may have failed between the two stores.
        sync.sync(product);
        yield reply(200, product);
      }
      case Catalog.Outcome.UnknownProduct() -> unknown();
      case Catalog.Outcome.Exists(Product product) ->
          Reply.refuse(Refusal.of(ErrorCode.PRODUCT_EXISTS).with("id", product.id().value()));
      case Catalog.Outcome.StateConflict(ProductState state) -> conflict(state);
      case Catalog.Outcome.Unconfirmed(var changes) -> unconfirmed(changes);
      case Catalog.Outcome.Invalid(var problems) -> throw PolicyProblem.invalid("", problems);
    };
  }

  private static @Nullable JsonText counters(Future<LiveCounters> read) {
    try {
      LiveCounters live = read.await(LIST_SECONDS, TimeUnit.SECONDS);
      return JsonText.object()
          .put("state", live.state())
          .put("free", live.free())
          .put("held", live.held())
          .put("confirmed", live.confirmed())
          .put("waiting", live.waiting())
          .put("active", live.active())
          .put("ready", live.ready());
    } catch (TimeoutException | ServiceUnavailable _) {
      return null;
    }
  }

  private LiveCounters counters(ProductId id) {
    try {
      return sales.live(id).await(5, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new fairgate.kernel.ServiceUnavailable(
          "redis is too slow", java.time.Duration.ofSeconds(1));
    }
  }

  private static ProductId id(Request request) {
    String id = request.pathParam("id");
    if (!ProductId.isValid(id)) {
      throw new InvalidRequest("id", "not_digits", 1, 19);
    }
    return new ProductId(id);
  }

  private static Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.PRODUCT_NOT_FOUND));
  }

  private static Reply conflict(ProductState state) {
    return Reply.refuse(Refusal.of(ErrorCode.SALE_STATE_CONFLICT).with("state", state.word()));
  }

  private static Reply unconfirmed(SortedMap<String, Catalog.Outcome.Change> changes) {
    Map<String, Object> all = new LinkedHashMap<>();
    changes.forEach(
        (name, change) ->
            all.put(name, new TreeMap<>(Map.of("from", change.from(), "to", change.to()))));
    return Reply.refuse(Refusal.of(ErrorCode.CONFIRMATION_REQUIRED).with("changes", all));
  }

  private Reply reply(int status, Product product) {
    return Reply.json(status, json(product).bytes());
  }

  private JsonText json(Product product) {
    JsonText json =
        JsonText.object()
            .put("id", product.id().value())
            .put("name", product.details().name())
            .put("image_url", product.details().imageUrl())
            .put("price", product.details().price().minorUnits())
            .put("currency", product.details().price().currency())
            .put("currency_exponent", product.details().price().exponent())
            .put("total_stock", product.details().totalStock());
    Integer days = product.details().durationDays();
    if (days != null) {
      json = json.put("duration_days", days);
    }
    Instant next = product.nextBatchAt();
    return json.put("state", product.stateAt(clock.instant()).word())
        .put("version", product.version())
        .put("policy_version", product.policyVersion())
        .put("next_batch_at", next == null ? null : next.toString())
        .putRaw("policy", PolicyJson.write(product.policy()));
  }

  /// Null while the ledger is unavailable.
  private @Nullable Boolean balanced(ProductId id, LiveCounters live) {
    try {
      return sync.balanced(id, live);
    } catch (ServiceUnavailable _) {
      return null;
    }
  }

  private JsonText json(ProductId id, LiveCounters live) {
    return JsonText.object()
        .put("product_id", id.value())
        .put("state", live.state())
        .put("free", live.free())
        .put("released", live.released())
        .put("held", live.held())
        .put("confirmed", live.confirmed())
        .putAny("balanced", balanced(id, live))
        .put("waiting", live.waiting())
        .put("active", live.active())
        .put("ready", live.ready())
        .put("purchases", live.purchases())
        .put("pending_orders", live.pending())
        .put("joined", live.joined())
        .put("admitted", live.admitted())
        .put("missed", live.missed())
        .put("turns", live.turns())
        .put("batch", live.batch())
        .put("outbox_seq", live.seq())
        .put("epoch", live.epoch())
        .put("server_time", live.now());
  }
}
