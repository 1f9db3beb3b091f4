package fairgate.sale;

import static fairgate.platform.http.RouteLimits.READ;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Rows;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Serves `GET /api/products` and `GET /api/products/{id}`: the products and their free units.
public final class ProductRoutes {
  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(ProductRoutes.class), "products");

  private final Catalog catalog;
  private final LiveView live;

  ProductRoutes(Catalog catalog, LiveView live) {
    this.catalog = catalog;
    this.live = live;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/products", this::list).limits(READ),
        Route.get("/api/products/{id}", this::one).limits(READ));
  }

  private Future<Reply> list(Request request) {
    return all()
        .map(
            texts ->
                Reply.json(200, "{\"products\":[" + String.join(",", texts) + "]}").compressible());
  }

  private Future<Reply> one(Request request) {
    String id = request.pathParam("id");
    if (!ProductId.isValid(id)) {
      return Future.succeededFuture(Reply.refuse(ErrorCode.PRODUCT_NOT_FOUND));
    }
    return find(new ProductId(id))
        .map(
            text ->
                text.map(json -> Reply.json(200, json))
                    .orElseGet(() -> Reply.refuse(ErrorCode.PRODUCT_NOT_FOUND)));
  }

  public Future<List<String>> all() {
    List<Product> products =
        catalog.all().stream()
            .sorted(
                Comparator.comparingInt((Product p) -> p.id().value().length())
                    .thenComparing(Product::id))
            .toList();
    List<Read> reads =
        products.stream().map(product -> new Read(product, live.of(product.id()))).toList();
    return Future.join(reads.stream().map(Read::counters).toList())
        .otherwiseEmpty()
        .map(_ -> ROWS.of(reads, Read::json, read -> read.product().id()));
  }

  public Future<Optional<String>> find(ProductId id) {
    return catalog
        .find(id)
        .map(product -> json(product).map(Optional::of))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()));
  }

  /// A product and its live values, of which a failed read leaves none.
  private record Read(Product product, Future<LiveCounters> counters) {
    String json() {
      return ProductRoutes.json(product, counters.succeeded() ? counters.result() : null);
    }
  }

  private Future<String> json(Product product) {
    // Without Redis only the live values are missing.
    return live.of(product.id())
        .map(counters -> json(product, counters))
        .otherwise(_ -> json(product, null));
  }

  /// Whether a sale is open, all its units are sold and paid, and no more are planned: then only a
  /// refund or an operator makes a unit free. False while that is not known. Never blocks.
  public Future<Boolean> isGone(Product product) {
    return product.nextBatchAt() != null
        ? Future.succeededFuture(false)
        : live.of(product.id())
            .map(
                counters ->
                    "open".equals(counters.state())
                        && remaining(product, counters) <= 0
                        && counters.held() == 0)
            .otherwise(false);
  }

  private static String json(Product product, @Nullable LiveCounters live) {
    SalePolicy policy = product.policy();
    boolean known = live != null && live.known();
    String state = live != null && known ? live.state() : product.state().word();
    @Nullable Long remaining = live == null ? null : remaining(product, live);
    boolean soldOut = "open".equals(state) && remaining != null && remaining <= 0;
    JsonText json =
        JsonText.object()
            .put("id", product.id().value())
            .put("name", product.details().name())
            .put("image_url", product.details().imageUrl())
            .put("price", product.details().price().minorUnits())
            .put("currency", product.details().price().currency())
            .put("currency_exponent", product.details().price().exponent())
            .put("total_stock", product.details().totalStock())
            .putAny("remaining_stock", remaining)
            .put("status", soldOut ? "sold_out" : state)
            .put("max_quantity", policy.limits().maxQuantity())
            .putAny("max_per_user", policy.limits().maxPerUser())
            .put("payment_required", policy.payment().required())
            .putAny("payment_window_seconds", policy.payment().windowSeconds())
            .put("ready_slots", policy.admission().readySlots())
            .put("purchase_window_seconds", policy.admission().purchaseWindowSeconds())
            .putAny("presence_timeout_seconds", policy.admission().presenceTimeoutSeconds())
            .putAny("show_up_seconds", policy.admission().showUpSeconds())
            .put("identity", policy.fairness().identity().word())
            .put("pre_queue", policy.fairness().preQueue().word())
            .put("joins", policy.admission().joinsStopped() ? "stopped" : "open")
            .put("device_key", policy.fairness().deviceKeyRequired() ? "required" : "optional")
            .put("opens_at", text(policy.schedule().opensAt()))
            .put("closes_at", text(policy.schedule().closesAt()))
            .put("next_batch_at", text(product.nextBatchAt()));
    SalePolicy.Deposit deposit = policy.payment().deposit();
    if (deposit != null) {
      json.put("deposit", deposit.of(product.details().price()).minorUnits())
          .put("deposit_passed", deposit.passed().word());
    }
    if (!policy.schedule().batches().isEmpty()) {
      json.put("batches", policy.schedule().batches().size());
    }
    if (!policy.priority().isEmpty()) {
      json.put("priority", tiers(policy)).put("open_share", policy.openShare());
    }
    if (live != null && known) {
      json.put("total_in_waiting", live.waiting())
          .put("total_in_active", live.active())
          .put("held_stock", live.held())
          .put("reserved_stock", live.reserved())
          .put(
              "next_payment_deadline_at",
              live.nextDeadline() == 0
                  ? null
                  : Instant.ofEpochMilli(live.nextDeadline()).toString());
    }
    return new String(json.bytes(), StandardCharsets.UTF_8);
  }

  private static long remaining(Product product, LiveCounters live) {
    if (live.released() > 0) {
      return live.free();
    }
    // Before the first release all planned units are still available.
    return product.state() == ProductState.CLOSED ? 0 : product.details().totalStock();
  }

  private static JsonText tiers(SalePolicy policy) {
    JsonText all = JsonText.array();
    for (SalePolicy.Tier tier : policy.priority()) {
      all.add(
          JsonText.object()
              .put("name", tier.name())
              .put("share", tier.share())
              .put("until", tier.until().toString())
              .put("for", tier.group().word()));
    }
    return all;
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }

  /// A cache of live counters for readers: at most one Redis call per product and freshness
  /// interval. Values are never older than the freshness plus one round trip.
  static final class LiveView {
    private final Function<ProductId, Future<LiveCounters>> source;
    private final long freshNanos;
    private final Map<ProductId, CachedRead> seen = new ConcurrentHashMap<>();

    private record CachedRead(long askedAt, Future<LiveCounters> answer) {}

    /// @param source reads from Redis; called only for products of the catalog, which bounds the
    ///   cache
    LiveView(Function<ProductId, Future<LiveCounters>> source, Duration fresh) {
      this.source = source;
      this.freshNanos = fresh.toNanos();
    }

    Future<LiveCounters> of(ProductId product) {
      long now = System.nanoTime();
      return seen.compute(
              product,
              (_, last) ->
                  last != null && now - last.askedAt() < freshNanos && !last.answer().failed()
                      ? last
                      : new CachedRead(now, source.apply(product)))
          .answer();
    }
  }
}
