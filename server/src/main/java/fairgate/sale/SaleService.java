package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Pass;
import fairgate.kernel.PassCodec;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Buying. Safe to call on any thread; on an event loop nothing blocks.
///
/// Never oversells: stock, limits, token, order and outbox entry change in one script run. When
/// Redis cannot be reached the future fails and the outcome is unknown; a repeat with the same
/// idempotency key gives the first answer.
public final class SaleService {
  private static final int MOST_PRODUCTS = 10_000;

  private final PassCodec passes;
  private final KeyRing keyRing;
  private final Ids ids;
  private final SaleConfig config;
  private final RedisClient redis;
  private final PurchaseScript script;
  private final LiveScript live;
  private final Audit audit;
  private final Map<ProductId, Slot> slots = new ConcurrentHashMap<>();
  private volatile Consumer<ProductId> onDeparture = _ -> {};

  private record Slot(SaleKeys keys, ScriptBatcher.Shared purchases) {}

  public SaleService(RedisClient redis, KeyRing keyRing, Ids ids, SaleConfig config, Audit audit) {
    this.keyRing = keyRing;
    this.passes = new PassCodec(keyRing);
    this.ids = ids;
    this.config = config;
    this.redis = redis;
    this.script = new PurchaseScript(redis);
    this.live = new LiveScript(redis);
    this.audit = audit;
  }

  /// One attempt to buy.
  ///
  /// @param token the purchase token as sent, if any
  /// @param idempotencyKey the caller's key, 1 to 255 printable characters, if any
  /// @param caller asked for only when it has bought
  public record PurchaseRequest(
      SessionId session,
      ProductId product,
      int quantity,
      @Nullable String token,
      @Nullable String idempotencyKey,
      Supplier<Caller> caller) {}

  /// Who is told that a buyer has left the queue of a product, so that the next one moves up at
  /// once.
  public void onDeparture(Consumer<ProductId> listener) {
    onDeparture = listener;
  }

  /// Buys, or says why not. A repeat with the same idempotency key and request gives the first
  /// answer; one without a key, after success, gives `AlreadyPurchased` with the order.
  public Future<PurchaseOutcome> purchase(PurchaseRequest request) {
    Slot slot = slot(request.product());
    Future<PurchaseOutcome> asked =
        script.run(
            slot.keys(),
            slot.purchases(),
            new PurchaseScript.Call(
                request.session(), request.quantity(), pass(request), idempotency(request)));
    Future<PurchaseOutcome> known =
        redis.clustered() ? asked.compose(said -> elsewhere(request, said)) : asked;
    return known.onSuccess(
        outcome -> {
          if (outcome instanceof PurchaseOutcome.Reserved reserved && !reserved.replayed()) {
            onDeparture.accept(request.product());
            note(request, reserved);
          }
        });
  }

  /// In a cluster a sale does not see the sessions of others.
  private Future<PurchaseOutcome> elsewhere(PurchaseRequest request, PurchaseOutcome said) {
    if (!(said instanceof PurchaseOutcome.UnknownSession)) {
      return Future.succeededFuture(said);
    }
    return redis
        .send("GET", SaleKeys.pointer(request.session()))
        .map(
            product ->
                product.isNil() || product.text().equals(request.product().value())
                    ? said
                    : new PurchaseOutcome.NotInQueue());
  }

  private void note(PurchaseRequest request, PurchaseOutcome.Reserved reserved) {
    audit.note(
        new AuditEvent(
            AuditEvent.Kind.PURCHASE,
            reserved.status(),
            request.caller().get().in(request.session()),
            Map.of(
                "product",
                request.product().value(),
                "order",
                reserved.order().value(),
                "quantity",
                reserved.quantity(),
                "amount",
                reserved.amount().minorUnits())));
  }

  /// The counters of a sale at this instant.
  public Future<LiveCounters> live(ProductId product) {
    return live.run(slot(product).keys());
  }

  /// A token that is not ours, or another session's or product's, counts as none: the script
  /// refuses both alike where tokens are required.
  private @Nullable Pass pass(PurchaseRequest request) {
    String token = request.token();
    if (token == null) {
      return null;
    }
    return passes
        .decode(token)
        .filter(p -> p.session().equals(request.session()))
        .filter(p -> p.product().equals(request.product()))
        .orElse(null);
  }

  private PurchaseScript.@Nullable Idempotency idempotency(PurchaseRequest request) {
    String key = request.idempotencyKey();
    if (key == null) {
      return null;
    }
    // The token is left out on purpose: a client that retries may hold a newer one. The session is
    // what
    // makes the request the same buyer's.
    String said = request.session() + "|" + request.product() + "|" + request.quantity();
    return new PurchaseScript.Idempotency(key, keyRing.fingerprint("idempotency", said));
  }

  private Slot slot(ProductId product) {
    Slot slot = slots.get(product);
    if (slot != null) {
      return slot;
    }
    if (slots.size() >= MOST_PRODUCTS) {
      // Ids of products that do not exist end up here too; what is dropped is cheap to make again.
      slots.clear();
    }
    return slots.computeIfAbsent(
        product,
        id -> {
          SaleKeys keys = SaleKeys.of(id, config.keyStyle());
          return new Slot(
              keys, PurchaseScript.shared(keys, config.idempotencyLife(), () -> ids.order(id)));
        });
  }
}
